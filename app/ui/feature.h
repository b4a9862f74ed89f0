#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "app/ui/commands.h"
#include "app/ui/request.h"

namespace snapviewer {

/// What the features of a window say to the shell and to each other.
struct Switchboard {
    Commands commands;
    RequestHandlers handlers;
    Requests requests;
};

/// How many rows of a list describe() tells.
inline constexpr std::size_t k_reported_rows = 20;

/// A part of the window that stands for itself: what it shows, what works for it on other threads, and what can be asked of
/// it. The shell knows its features by this alone and goes over them in the order in which they are put up. Main thread.
class Feature {
public:
    virtual ~Feature() = default;

    /// Says once which commands and requests it carries out.
    virtual void connect(Switchboard&) {}
    /// Another document, or none, is about to be open: forgets what was about the one that is.
    virtual void leave() {}
    /// And now it is.
    virtual void adopt() {}
    /// Another file's window comes to the front of this one: gives up what the graphics card has of it.
    virtual void park() {}
    /// At the beginning of every frame: takes what was made on other threads, and follows what the user does.
    virtual void update() {}
    /// Frames are needed until this is false: something is on its way.
    virtual bool is_busy() const { return false; }
    /// Something happened elsewhere, as on the disk, that a frame would show.
    virtual bool has_news() const { return false; }
    /// Draws the windows of its own.
    virtual void draw(Requests&) {}
    /// Adds what it shows to the report for tests that drive the window (docs/state-file.md).
    virtual void describe(nlohmann::json&) const {}

protected:
    Feature() = default;
    Feature(const Feature&) = delete;
    Feature& operator=(const Feature&) = delete;
};

}  // namespace snapviewer
