#pragma once

#include <chrono>
#include <functional>

/// Signals, and the end of the program by a signal.
namespace snapviewer {

/// Installs a handler for SIGINT, SIGTERM, SIGHUP and similar signals, except ignored ones. It calls `clean_up`, and then
/// ends the program at once. `clean_up` runs at any point of the program, so it must take no locks and allocate no memory.
/// The parent process sees the signal, and a shell the status 128 + its number. Call once, before other threads start.
void call_before_ending(void (*clean_up)());

/// After this call, the first SIGINT, SIGTERM or SIGHUP is only recorded, so that the program can clean up before it calls
/// end_by_recorded_signal(). The second one ends the program at once. Precondition: call_before_ending() was called.
void record_end_request();
bool is_end_requested();
/// Ends the program by the recorded signal.
void end_by_recorded_signal();

/// Blocks the calling thread until another thread has ended the program.
[[noreturn]] void wait_for_end();
/// Sleeps. Safe in signal handlers, so the callback of call_before_ending() can use it.
void sleep_for(std::chrono::milliseconds time);

/// After this call, a write beyond the limit for file sizes fails instead of ending the program.
void ignore_file_size_signals();
/// After this call, a write to a pipe or socket without a reader fails instead of ending the program.
void ignore_broken_pipes();

/// Calls `work` on this thread with all signals blocked that can be blocked, so that none interrupts it.
void with_signals_blocked(const std::function<void()>& work);

/// Blocks all signals for the calling thread except those that report its own errors, such as SIGSEGV. Other threads handle
/// the signals.
void block_signals();

}  // namespace snapviewer
