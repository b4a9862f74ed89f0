#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace snapviewer {

/// Programs that were started and are nobody's business any more. Main thread.
class StartedPrograms {
public:
    ~StartedPrograms() { forget_ended(); }

    /// Starts a program with its arguments, found along $PATH, without a shell, in a session of its own: it goes on when the
    /// window is closed. The error is a sentence.
    Status start(const std::vector<std::string>& words);

private:
    void forget_ended();
    std::vector<std::intptr_t> running_;  ///< by what the system knows them
};

}  // namespace snapviewer
