#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <system_error>

#include "core/system/windows/calls.h"

namespace snapviewer {

/// Whether a pipe has bytes or has ended.
bool has_something(HANDLE pipe);
/// The same, once it is so or the time is over: Windows has nothing that waits for the pipes of standard streams.
bool wait_for_pipe(HANDLE pipe, std::chrono::milliseconds time);
/// How many bytes came next; 0 at the end, where nobody is left who writes, and where it `failed`.
std::size_t read_stream(HANDLE stream, std::span<char> room, std::error_code& failed);

}  // namespace snapviewer
