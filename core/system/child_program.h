#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/system/file_handle.h"

namespace snapviewer {

/// A program that runs beside this one, from which come what it writes and its exit status. Shared by the one thread that
/// reads it and any others, which may end it.
class ChildProgram {
public:
    enum class Terminal : std::uint8_t {
        shared,  ///< it may ask the user for a password on this program's terminal, and Ctrl-C ends both
        none,    ///< it has none, and asks with a window of its own or not at all
    };

    /// What it reads besides what it is started with.
    enum class Input : std::uint8_t { none, later };

    /// Starts the program that is named first, looked for in PATH, with the others as its arguments; no shell is in between.
    /// `input`, at most 16 KiB, is what it reads. Null where it `failed`, as it does in a sandbox (core/system/sandbox.h).
    static std::shared_ptr<ChildProgram> start(const std::vector<std::string>& words, std::string_view input,
                                               Terminal terminal, std::error_code& failed, Input more = Input::none);
    /// Ends it, without waiting for that.
    ~ChildProgram();
    ChildProgram(const ChildProgram&) = delete;
    ChildProgram& operator=(const ChildProgram&) = delete;

    enum class Stream : std::uint8_t { output, messages };  ///< standard output and standard error
    struct Piece {
        Stream stream = Stream::output;
        std::size_t size_bytes = 0;  ///< 0 at the end of the stream, once
    };
    /// What it wrote next, put into `room`; none where nothing came within the time, or both streams have ended.
    std::optional<Piece> read(std::span<char> room, std::chrono::milliseconds time);

    /// Gives it more to read, where it was started for that; waits where a pipe of 64 KiB is full. False where it has ended.
    /// One thread at a time. Also in a sandbox.
    bool write(std::string_view text);

    /// Asks it to end; what it wrote can still be read. Does nothing in a sandbox. Any thread.
    void end();
    /// Whether wait() would not have to wait.
    bool has_ended() const;
    /// Waits until it has ended. Its exit status, or 128 and the number of the signal that ended it.
    int wait();

private:
    ChildProgram(std::intptr_t id, FileHandle input, FileHandle output, FileHandle messages);

    FileHandle input_;              ///< not open where nothing comes later
    FileHandle output_, messages_;  ///< not open once they have ended
    std::mutex mutex_;              ///< of id_: no signal goes to a process that took the number of one that ended
    std::intptr_t id_;              ///< -1 once it has ended
    int status_ = 0;
};

}  // namespace snapviewer
