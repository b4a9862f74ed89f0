#pragma once

#include <chrono>
#include <functional>

/// How the system has a program end: signals, where there are such.
namespace snapviewer {

/// From now on what tells the program to end (SIGINT, SIGTERM, SIGHUP and the like, unless they are ignored) calls this
/// first, whatever the program is doing, and then ends it at once: it may take no lock and no memory. The parent sees the
/// signal, a shell the status 128 + its number. Once, before other threads start.
void call_before_ending(void (*clean_up)());

/// From now on the first SIGINT, SIGTERM or SIGHUP is only taken down, for who has much to put in order before the program
/// ends by end_as_asked(); the second one ends it at once as before. After call_before_ending().
void note_wish_to_end();
bool is_asked_to_end();
/// Ends the program in the way in which it was asked to.
void end_as_asked();

/// For a thread that is to do nothing any more: waits until another has ended the program.
[[noreturn]] void wait_for_end();
/// For what call_before_ending() calls, too.
void rest(std::chrono::milliseconds time);

/// From now on a write beyond the limit of a file's size fails instead of ending the program.
void have_large_files_fail();
/// From now on a write fails that nobody is there any more to read, instead of ending the program.
void have_broken_pipes_fail();

/// Does something that no signal but SIGKILL comes into the middle of, on this thread.
void without_signals(const std::function<void()>& work);

/// Leaves all signals to other threads but those that say what the calling one did wrong.
void take_no_signals();

}  // namespace snapviewer
