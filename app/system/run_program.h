#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// Runs a program with its arguments, without a shell, and waits for its end; it is ended when the progress is told to stop.
/// Fails with ErrorCode::environment where it cannot be started, ErrorCode::cancelled when stopped, otherwise with what it
/// wrote to standard error where its exit status is not 0. For a worker's thread.
Status run_program(const std::vector<std::string>& words, const Progress& progress);

}  // namespace snapviewer
