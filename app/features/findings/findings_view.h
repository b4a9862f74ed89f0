#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/features/requests.h"

namespace snapviewer {

struct DeviceAnswers;

/// What becomes of the analyses of the device on the screen.
enum class AnswersState : std::uint8_t {
    waiting,  ///< for the picture, which goes first
    working,
    stopped,  ///< by the user
    failed,
    ready,
};

/// The page of findings between two frames.
struct FindingsState {
    AnswersState state = AnswersState::waiting;
    float fraction = 0;                                 ///< while working
    const char* doing = "";                             ///< the same in words
    std::string trouble = {};                           ///< why it failed
    std::string not_told = {};                          ///< what the file does not tell; mostly empty
    std::shared_ptr<const DeviceAnswers> answers = {};  ///< once they are ready
    std::optional<std::size_t> chosen = {};             ///< the finding that is shown in the picture
    std::optional<std::size_t> chosen_growth = {};      ///< the row of what grows that is shown in the picture
};

/// The rest of the current window: what there is to say as long as the answers are not ready. Gives whether they are.
bool draw_until_ready(const FindingsState& state, Requests& requests);

/// The rest of the current window: what is worth looking at of a device, most pressing first, a card for each time that
/// memory ran out. A click on a row asks for its place, a button for its statement in the query pane.
void draw_findings_view(const FindingsState& state, Requests& requests);

}  // namespace snapviewer
