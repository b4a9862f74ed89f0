#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/ui/state_parts.h"
#include "core/analysis/oom/card_use.h"

namespace snapviewer {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_findings_page = "findings";

struct DeviceAnswers;

/// State of the findings page that persists between frames.
struct FindingsState {
    LongWork work = {};  ///< progress of the analyses, which start after the timeline is drawn
    /// A sentence about data that the file lacks, so that some findings are impossible; usually empty.
    std::string not_told = {};
    /// Results of the analyses; null until they are done, or if they failed.
    std::shared_ptr<const DeviceAnswers> answers = {};
    std::optional<oom::CardUse> read_from_error =
        {};                                  ///< memory of the card according to an error message that the user pasted
    std::optional<std::size_t> chosen = {};  ///< the finding that is highlighted in the timeline
    std::optional<std::size_t> chosen_growth = {};  ///< the row of the growth page that is highlighted in the timeline

    bool is_ready() const { return answers != nullptr && !work.is_at_rest(); }
};

}  // namespace snapviewer
