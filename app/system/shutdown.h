#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace snapviewer {

/// While it lives, a signal that asks the program to end (SIGTERM, SIGINT, SIGHUP) is noted instead, so that the window
/// closes as the user closes it; a second one ends the program at once.
class StopOnSignal {
public:
    StopOnSignal();
    ~StopOnSignal();
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;

    static bool was_asked();
};

/// While it lives, `last_words` are called when a library ends the program, which Xlib does when its server is gone or the
/// window was taken from it. The program then ends with `status`; nothing of the window or of OpenGL may be touched any
/// more. They are spoken on a thread of their own, once the thread that made this has met the loss, too, and rests: whoever
/// calls Xlib meets it first, be it a worker that only wanted to rouse the window and whose sandbox lets it write nothing.
class OnLostDisplay {
public:
    OnLostDisplay(int status, std::function<void()> last_words);
    ~OnLostDisplay();
    OnLostDisplay(const OnLostDisplay&) = delete;
    OnLostDisplay& operator=(const OnLostDisplay&) = delete;

private:
    std::thread speaker_;
};

/// Ends the program after this long if it did not end by then: a worker in the middle of something, a driver or memory that
/// takes seconds to give back are not waited for. For the end, when nothing is left to be written.
void end_within(std::chrono::milliseconds patience);

}  // namespace snapviewer
