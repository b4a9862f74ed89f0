#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace snapviewer {

/// Installs a callback for the loss of the display, which runs on the thread that notices it, just before a library of the
/// window system would end the program. No-op on systems without such a library. Call it once, after GLFW has opened the
/// display.
void listen_for_lost_display(void (*callback)());

/// RAII: records the first signal that asks the program to end (SIGTERM, SIGINT, SIGHUP), so that the window can close
/// normally. A second signal ends the program at once.
class StopOnSignal {
public:
    StopOnSignal();
    ~StopOnSignal();
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;

    static bool was_requested();
};

/// RAII: calls `callback` if a library ends the program, as Xlib does when its server is gone or has closed the window,
/// and ends the program with `status`. The callback must not use the window or OpenGL. It runs on its own thread after the
/// main thread has noticed the loss and stopped. Any thread that calls Xlib may notice the loss first, even a worker that
/// only wakes the window and whose sandbox forbids writing.
class OnLostDisplay {
public:
    OnLostDisplay(int status, std::function<void()> callback);
    ~OnLostDisplay();
    OnLostDisplay(const OnLostDisplay&) = delete;
    OnLostDisplay& operator=(const OnLostDisplay&) = delete;

private:
    std::thread thread_;
};

/// Starts a timer that ends the program if it still runs after this time, so that busy workers, slow drivers and slow
/// deallocation cannot delay the exit. Call it when everything is saved.
void end_within(std::chrono::milliseconds timeout);

}  // namespace snapviewer
