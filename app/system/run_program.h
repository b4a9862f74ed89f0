#pragma once

#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"

namespace snapviewer {

/// Runs a program with its arguments, without a shell, and waits for its end. A stop request of the progress ends the
/// program. Fails with ErrorCode::environment if the program cannot be started, with ErrorCode::cancelled if it was stopped,
/// and with its standard error if its exit status is not 0. Blocks; call it on a worker thread.
Status run_program(const std::vector<std::string>& words, const Progress& progress);

}  // namespace snapviewer
