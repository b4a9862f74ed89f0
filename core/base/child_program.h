#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/result.h"

namespace snapviewer {

/// A program that runs beside this one and gives what it writes through pipes. It is looked for in PATH; no shell is in
/// between. Shared by the thread that reads it and others that may end it.
class ChildProgram {
public:
    enum class Terminal : std::uint8_t {
        shared,  ///< it may ask the user for a password on this program's terminal, and Ctrl-C ends both
        none,    ///< it has none, and asks with a window of its own or not at all
    };

    /// Starts it with its arguments; `input`, at most 16 KiB, is what it reads. Fails with ErrorCode::environment, also in a
    /// sandbox (core/base/sandbox.h).
    static Result<std::shared_ptr<ChildProgram>> start(const std::vector<std::string>& words, std::string_view input,
                                                       Terminal terminal);
    /// Ends it, without waiting for that.
    ~ChildProgram();
    ChildProgram(const ChildProgram&) = delete;
    ChildProgram& operator=(const ChildProgram&) = delete;

    int output() const { return output_.number(); }      ///< a descriptor, of what it writes to standard output
    int messages() const { return messages_.number(); }  ///< the same for standard error
    /// Asks it to end; what it wrote can still be read. Does nothing in a sandbox. Any thread.
    void end();
    /// Waits until it has ended. Its exit status, or 128 and the number of the signal that ended it.
    int wait();

private:
    ChildProgram(pid_t id, Descriptor output, Descriptor messages)
        : output_(std::move(output)), messages_(std::move(messages)), id_(id) {}

    Descriptor output_, messages_;
    std::mutex mutex_;  ///< of id_: no signal goes to a process that took the number of one that ended
    pid_t id_;          ///< -1 once it has ended
    int status_ = 0;
};

}  // namespace snapviewer
