#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/application.h"
#include "app/ui/input_queue.h"

namespace snapviewer::shell {

/// Events that the window's callbacks record between two frames.
struct Inbox {
    InputQueue input;
    std::vector<std::string> dropped;
    double mouse_y = 0;  ///< last height of the mouse, also while it drags a file
    double dropped_y = 0;
    bool lost_focus = false;
    bool wake_pending = false;  ///< whether a frame must be drawn because of an event
};

/// The tabs of one window; each has an Application of its own. One tab is in front. The others are parked: they keep their
/// document, views and background work, but use no GPU memory and draw no frames. There is always at least one tab. Main
/// thread only, with an OpenGL and an ImGui context current.
class Tabs {
public:
    explicit Tabs(std::unique_ptr<Application> first) { tabs_.push_back(std::move(first)); }

    Application& front() { return *tabs_[front_]; }
    const Application& front() const { return *tabs_[front_]; }
    /// Opens files that were dropped at height `y` of the window. Each opens in a new tab if it was dropped on the tab strip
    /// or if `in_tabs` is set; otherwise they open in the tab in front.
    void drop(const std::vector<std::string>& paths, double y, bool in_tabs);
    /// True if the tab in front is animating, or if the tab strip shows the progress of a load in another tab.
    bool is_animating() const;
    /// Draws one frame of the tab in front, then handles the requests about tabs.
    void frame(const FrameInput& input);

private:
    void carry_out(const OpenInTab& request);
    void carry_out(const ShowTab& request);
    void carry_out(const CloseTab& request);
    void bring_forward(std::size_t index);

    std::vector<std::unique_ptr<Application>> tabs_;
    std::size_t front_ = 0;
};

}  // namespace snapviewer::shell
