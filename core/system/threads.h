#pragma once

#include <functional>

namespace snapviewer {

/// True if the program can start threads. A web page cannot if its browser does not isolate it from other pages, for example
/// if it was opened from a disk.
bool has_threads();

/// Runs `work` on the main thread when that is idle, after earlier work. With threads, runs it at once. Without threads,
/// `work` may be suspended in `yield_to_browser`, so it may end after work that began later on the main thread.
void run_on_main_thread(std::function<void()> work);

/// A function that long-running work calls from time to time; null with threads. It suspends the work for a moment, if the
/// last pause is long enough ago, so that the page can be drawn and can handle input.
extern void (*yield_to_browser)();

}  // namespace snapviewer
