#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/system/files.h"

namespace snapviewer {

/// The path of this program's executable file, or empty if it is unknown.
std::filesystem::path program_path();

/// The arguments of main() in UTF-8, without the name of the program.
std::vector<std::string> main_arguments(int argc, char** argv);

/// Sets an environment variable if it is not set. Call before other threads read it.
void set_variable(const char* name, const char* value);

/// After this call, commands that this program starts end when it ends. Call before other threads start. The thread that
/// starts a command must wait for its end. Linux and Windows; no-op elsewhere.
void end_commands_on_exit();
/// Ends this process when its parent ends, if the parent has called end_commands_on_exit(). Every command
/// calls it first.
void end_with_parent();

/// Starts a program, found along PATH and without a shell. It has its own session, so that it survives this process. Returns
/// its process id, or nullopt if the start `failed`.
std::optional<std::intptr_t> start_program(const std::vector<std::string>& words, std::error_code& failed);
/// True if a program that start_program() started has ended. After that, its process id may belong to another process.
bool has_ended(std::intptr_t program);

/// A running child process, with its output streams and its exit status. One thread reads it; any thread may end it.
class ChildProgram {
public:
    enum class Terminal : std::uint8_t {
        shared,  ///< the child may ask for a password on this program's terminal, and Ctrl-C ends both
        none,    ///< the child has no terminal; it asks for a password in a window of its own or not at all
    };

    /// Whether write() will provide more input after the start.
    enum class Input : std::uint8_t { none, later };

    /// Starts the program words[0], found along PATH, without a shell; the other words are its arguments. `input`, at most
    /// 16 KiB, is written to its standard input. nullptr if the start `failed`, as it always does in a sandbox
    /// (core/system/sandbox.h).
    static std::shared_ptr<ChildProgram> start(const std::vector<std::string>& words, std::string_view input,
                                               Terminal terminal, std::error_code& failed, Input more = Input::none);
    /// Ends the child without waiting for its end.
    ~ChildProgram();
    ChildProgram(const ChildProgram&) = delete;
    ChildProgram& operator=(const ChildProgram&) = delete;

    enum class Stream : std::uint8_t { output, messages };  ///< standard output and standard error of the child
    struct Piece {
        Stream stream = Stream::output;
        std::size_t size_bytes = 0;  ///< number of bytes; 0 once, at the end of the stream
    };
    /// Reads the child's next output into `buffer`. Waits at most for `time`. nullopt if nothing came within that time, or
    /// if both streams have ended.
    std::optional<Piece> read(std::span<char> buffer, std::chrono::milliseconds time);

    /// Writes to the child's standard input. Precondition: it was started with Input::later. Blocks while its pipe of 64 KiB
    /// is full. False if the child has ended. Only one thread at a time may call it. Works in a sandbox too.
    bool write(std::string_view text);

    /// Asks the child to end. Its output up to then can still be read. No-op in a sandbox. Thread-safe.
    void end();
    /// True if wait() would return at once.
    bool has_ended() const;
    /// Waits until the child has ended. Returns its exit status, or 128 plus the number of the signal that ended it.
    int wait();

private:
    ChildProgram(std::intptr_t id, FileHandle input, FileHandle output, FileHandle messages)
        : input_(std::move(input)), output_(std::move(output)), messages_(std::move(messages)), id_(id) {}

    FileHandle input_;              ///< standard input of the child; closed unless it was started with Input::later
    FileHandle output_, messages_;  ///< output streams of the child; closed once they have ended
    std::mutex mutex_;  ///< guards id_, so that no signal is sent to another process that got the id of an ended child
    std::intptr_t id_;  ///< process id or handle; -1 once the child has ended
    int status_ = 0;
};

// Clocks that the standard library does not have. Thread-safe.

/// The CPU time of the calling thread.
std::uint64_t thread_time_ns();

/// A monotonic clock with an arbitrary origin. It is accurate to some milliseconds and much cheaper than an exact clock.
std::int64_t coarse_time_ns();

/// Converts a time to the time zone of this machine; nullopt if it is out of the calendar's range.
std::optional<std::tm> local_time(std::time_t moment);

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
