#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/shell/application.h"

namespace snapviewer {

/// The files of one window, each with a program of its own behind the screen. One is in front; the others are parked: they
/// keep their document, their views and what they work out, but have nothing on the graphics card, and their frames wait.
/// There is always at least one. Main thread only, with an OpenGL and an ImGui context current.
class Tabs {
public:
    explicit Tabs(std::unique_ptr<Application> first) { tabs_.push_back(std::move(first)); }

    Application& front() { return *tabs_[front_]; }
    const Application& front() const { return *tabs_[front_]; }
    /// Files that were dropped at a height in the window: on the strip of tabs, or with `in_tabs`, each opens in a tab of
    /// its own, elsewhere in the one in front.
    void drop(const std::vector<std::string>& paths, double y, bool in_tabs);
    /// Something moves in the tab in front, or a load in another, of which the strip tells: frames are needed.
    bool is_animating() const;
    /// Draws one frame of the tab in front, then does what was asked for of tabs.
    void frame(const FrameInput& input);

private:
    void carry_out(const OpenInTab& request);
    void carry_out(const ShowTab& request);
    void carry_out(const CloseTab& request);
    void bring_forward(std::size_t index);

    std::vector<std::unique_ptr<Application>> tabs_;
    std::size_t front_ = 0;
};

}  // namespace snapviewer
