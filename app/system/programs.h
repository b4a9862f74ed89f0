#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"

namespace snapviewer {

/// Runs a program with its arguments, without a shell, and waits for its end. A stop request of the progress ends the
/// program. Fails with ErrorCode::environment if the program cannot be started, with ErrorCode::cancelled if it was stopped,
/// and with its standard error if its exit status is not 0. Blocks; call it on a worker thread.
Status run_program(const std::vector<std::string>& words, const Progress& progress);

/// Starts programs that run independently, and reaps them after their end. Main thread.
class StartedPrograms {
public:
    ~StartedPrograms() { forget_ended(); }

    /// Starts a program with its arguments, found along $PATH, without a shell and in its own session, so that it survives
    /// the window. The error is a full sentence.
    Status start(const std::vector<std::string>& words);

private:
    void forget_ended();
    std::vector<std::intptr_t> running_;  ///< process ids, or handles on Windows
};

}  // namespace snapviewer
