#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/ui/long_work.h"
#include "core/analysis/card_use.h"

namespace snapviewer {

struct DeviceAnswers;

/// The page of findings between two frames.
struct FindingsState {
    LongWork work = {};                                 ///< on them; it waits for the picture, which goes first
    std::string not_told = {};                          ///< what the file does not tell; mostly empty
    std::shared_ptr<const DeviceAnswers> answers = {};  ///< none yet, or none after all
    std::optional<CardUse> read_from_error = {};        ///< of an error that the user pasted
    std::optional<std::size_t> chosen = {};             ///< the finding that is shown in the picture
    std::optional<std::size_t> chosen_growth = {};      ///< the row of what grows that is shown in the picture

    bool is_ready() const { return answers != nullptr && !work.is_at_rest(); }
};

}  // namespace snapviewer
