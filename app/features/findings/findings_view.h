#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/features/requests.h"
#include "app/ui/long_work.h"

namespace snapviewer {

struct DeviceAnswers;

/// The page of findings between two frames.
struct FindingsState {
    LongWork work = {};                                 ///< on them; it waits for the picture, which goes first
    std::string not_told = {};                          ///< what the file does not tell; mostly empty
    std::shared_ptr<const DeviceAnswers> answers = {};  ///< none yet, or none after all
    std::optional<std::size_t> chosen = {};             ///< the finding that is shown in the picture
    std::optional<std::size_t> chosen_growth = {};      ///< the row of what grows that is shown in the picture

    bool is_ready() const { return answers != nullptr && !work.is_at_rest(); }
};

/// The rest of the current window: what there is to say as long as the answers are not ready. Gives whether they are.
bool draw_until_ready(const FindingsState& state, Requests& requests);

/// The rest of the current window: what is worth looking at of a device, most pressing first, a card for each time that
/// memory ran out. A click on a row asks for its place, a button for its statement in the query pane.
void draw_findings_view(const FindingsState& state, Requests& requests);

}  // namespace snapviewer
