#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace snapviewer {

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
