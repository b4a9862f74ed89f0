#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <system_error>

#include "core/system/windows/calls.h"

namespace snapviewer {

/// True if a pipe has bytes or has ended.
bool has_something(HANDLE pipe);
/// Waits at most for `time` until a pipe has bytes or has ended, and returns whether it has. It polls, because Windows
/// cannot wait for the pipes of standard streams.
bool wait_for_pipe(HANDLE pipe, std::chrono::milliseconds time);
/// Reads the next bytes and returns their number. 0 at the end of the stream, which is also when all writers have closed it,
/// or if the call `failed`.
std::size_t read_stream(HANDLE stream, std::span<char> room, std::error_code& failed);

}  // namespace snapviewer
