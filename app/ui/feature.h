#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/commands.h"
#include "app/ui/request.h"

namespace snapviewer {

/// The channels through which the features of a window communicate with the shell and with each other.
struct Switchboard {
    Commands commands;
    RequestHandlers handlers;
    Requests requests;
};

/// Maximum number of rows of a list that describe() reports.
inline constexpr std::size_t k_reported_rows = 20;

/// A self-contained part of the window: its views, its work on other threads and the requests that it handles. The shell
/// knows features only by this interface and calls them in the order in which they were created. Main thread.
class Feature {
public:
    virtual ~Feature() = default;

    /// Registers the feature's commands and request handlers. Called once.
    virtual void connect(Switchboard&) {}
    /// Called before the document changes. Drops everything derived from the current document.
    virtual void leave() {}
    /// Called after the document has changed; it may be null.
    virtual void adopt() {}
    /// Called when the tab of another file comes to the front. Releases GPU resources.
    virtual void park() {}
    /// Called at the beginning of every frame. Collects results of other threads and reacts to changes of the state.
    virtual void update() {}
    /// True while work is in progress, so that the window keeps drawing frames.
    virtual bool is_busy() const { return false; }
    /// True if an external event, such as a change on the disk, needs a new frame to become visible.
    virtual bool has_news() const { return false; }
    /// Draws the feature's own windows.
    virtual void draw(Requests&) {}
    /// Adds the feature's visible state to the report for GUI tests (docs/state-file.md).
    virtual void describe(nlohmann::json&) const {}

protected:
    Feature() = default;
    Feature(const Feature&) = delete;
    Feature& operator=(const Feature&) = delete;
};

}  // namespace snapviewer
