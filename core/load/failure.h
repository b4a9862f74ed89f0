#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/base/context.h"

namespace snapviewer {

[[noreturn]] inline void fail(std::string message, std::optional<std::uint64_t> offset = std::nullopt,
                              std::string context = {}) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, std::move(context)}};
}

[[noreturn]] inline void fail_cut(std::string message, std::optional<std::uint64_t> offset, std::string context = {}) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, std::move(context)}, true};
}

/// Throws for bytes that the format does not allow.
[[noreturn]] inline void fail_damaged(std::string message, std::optional<std::uint64_t> offset = std::nullopt) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, {}}, true, true};
}

/// Returns the result of `read`. Adds to a failure about wrong bytes what they are part of, unless it says so.
template <typename Read>
auto in_context(const std::string& context, Read read) {
    try {
        return read();
    } catch (Failure& failure) {
        if (failure.error.code == ErrorCode::bad_file && failure.error.context.empty()) failure.error.context = context;
        throw;
    }
}

/// The account that unpackers charge for their windows; null if nothing is counted.
inline MemoryAccount* windows_of_this_thread() {
    Budget* const budget = Context::current().budget;
    return budget == nullptr ? nullptr : &budget->windows();
}

/// For an unpacker whose window finds no memory: either `windows`, which may be null, or the system refuses it.
[[noreturn]] inline void fail_without_memory(const MemoryAccount* windows) {
    if (windows == nullptr || !windows->is_exceeded()) throw std::bad_alloc();
    throw Failure{
        {ErrorCode::unsupported, "needs more than 512 MiB of memory to unpack its layers together; unpack it first"}};
}

}  // namespace snapviewer
