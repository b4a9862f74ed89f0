#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/base/context.h"

namespace snapviewer {

/// Throws a Failure with ErrorCode::bad_file. The file is the subject of `message`: "is a folder". `offset` is the place in
/// the file, and `context` the part of the file.
[[noreturn]] inline void fail(std::string message, std::optional<std::uint64_t> offset = std::nullopt,
                              std::string context = {}) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, std::move(context)}};
}

/// Throws a Failure with is_cut, for input that breaks off or cannot be decoded at `offset`. Everything before is good.
[[noreturn]] inline void fail_cut(std::string message, std::optional<std::uint64_t> offset, std::string context = {}) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, std::move(context)}, true};
}

/// Throws a Failure with is_cut and is_damage, for bytes that the format does not allow. Everything before them is good.
[[noreturn]] inline void fail_damaged(std::string message, std::optional<std::uint64_t> offset = std::nullopt) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, {}}, true, true};
}

/// Returns the result of `read`. If `read` throws a Failure about wrong bytes that has no context yet, adds `context`, the
/// name of the part that `read` reads ("member a.json").
template <typename Read>
auto in_context(const std::string& context, Read read) {
    try {
        return read();
    } catch (Failure& failure) {
        if (failure.error.code == ErrorCode::bad_file && failure.error.context.empty()) failure.error.context = context;
        throw;
    }
}

/// Returns the account to which unpackers charge the memory of their windows, or null if the calling thread has no budget.
inline MemoryAccount* windows_of_this_thread() {
    Budget* const budget = Context::current().budget;
    return budget == nullptr ? nullptr : &budget->windows();
}

/// Throws for an unpacker that gets no memory for its window: an `unsupported` Failure if `windows` has reached its limit,
/// else std::bad_alloc, because the system refused. `windows` may be null.
[[noreturn]] inline void fail_without_memory(const MemoryAccount* windows) {
    if (windows == nullptr || !windows->is_exceeded()) throw std::bad_alloc();
    throw Failure{
        {ErrorCode::unsupported, "needs more than 512 MiB of memory to unpack its layers together; unpack it first"}};
}

}  // namespace snapviewer
