#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/ui/feature.h"
#include "core/base/result.h"

struct ImVec2;

namespace snapviewer {

/// A point in window pixels, y downwards. Replaces ImVec2 in headers that do not include ImGui; converts implicitly to and
/// from it.
struct ScreenPoint {
    ScreenPoint() = default;
    ScreenPoint(float x_px, float y_px) : x(x_px), y(y_px) {}
    ScreenPoint(const ImVec2& point);
    operator ImVec2() const;

    float x = 0, y = 0;
};

/// A column of a DataTable.
struct TableColumn {
    const char* title;
    const char* name = "";  ///< part of the name of its observed header
    float width_px = 0;     ///< width at scale 1; 0 fills the remaining width
    const char* doc = "";   ///< tooltip of its header
    bool is_bare = false;   ///< no header; the column cannot be sorted, resized or hidden
    /// The first click on the header sorts in descending order.
    bool largest_first = false;
    bool is_hidden = false;  ///< hidden until the user shows it
    bool has_no_room = false;
    bool is_sorted_first = false;  ///< the initial sort column
};

/// Progress of work on other threads, as a window displays it. The previous result stays visible meanwhile.
struct LongWork {
    std::string status;       ///< Description of the current step; empty while no work runs
    float fraction = 0;       ///< Progress from 0 to 1
    bool is_stopped = false;  ///< Whether the user stopped the work
    std::string error;        ///< Reason of the failure; empty unless the work failed

    bool is_running() const { return !status.empty(); }
    /// True if the work was stopped or failed; restart() resumes it.
    bool is_at_rest() const { return is_stopped || !error.empty(); }
    /// Returns the value of work that has ended. nullopt if it has none; its error becomes `error`, unless it was stopped.
    template <typename T>
    std::optional<T> take(std::optional<Result<T>> ended) {
        if (!ended) return std::nullopt;
        if (*ended) return **std::move(ended);
        if (ended->error().code != ErrorCode::cancelled) error = ended->error().text();
        return std::nullopt;
    }
    void stop() { is_stopped = true; }
    void restart() {
        is_stopped = false;
        error.clear();
    }
};

/// A button that runs a command; it is observed by the name of the command.
void command_button(const char* words, CommandId command, Requests& requests);

/// Draws one line at the bottom of a window. While the work runs: the status and a button for the command `stop`; returns
/// true. If it was stopped or failed: a button for the command `restart`; returns false, and the caller may continue the
/// line.
bool draw_long_work(const LongWork& work, CommandId stop, CommandId restart, Requests& requests);

}  // namespace snapviewer
