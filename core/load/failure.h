#pragma once

#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace snapviewer {

/// Thrown and caught inside core/load only: a reader is many small steps deep when it notices that a file is wrong.
struct ReadFailure {
    Error error;
    bool is_cut = false;     ///< the input ends or is damaged here; what came before is good and may be worth showing
    bool is_damage = false;  ///< is_cut, and the message describes wrong bytes at this place

    /// "is cut short at byte 7", "is damaged: it is not valid JSON at byte 7".
    std::string text() const { return (is_damage ? "is damaged: it " : "") + error.text(); }
};

[[noreturn]] inline void fail(std::string message, std::optional<std::uint64_t> offset = std::nullopt,
                              std::string context = {}) {
    throw ReadFailure{{ErrorCode::bad_file, std::move(message), offset, std::move(context)}};
}

[[noreturn]] inline void fail_cut(std::string message, std::optional<std::uint64_t> offset, std::string context = {}) {
    throw ReadFailure{{ErrorCode::bad_file, std::move(message), offset, std::move(context)}, true};
}

/// Throws for bytes that the format does not allow.
[[noreturn]] inline void fail_damaged(std::string message, std::optional<std::uint64_t> offset = std::nullopt) {
    throw ReadFailure{{ErrorCode::bad_file, std::move(message), offset, {}}, true, true};
}

/// Goes on only if `status` is good.
inline void need_ok(const Status& status) {
    if (!status) throw ReadFailure{status.error()};
}

/// Returns the value, or throws the error.
template <typename T>
T value_or_throw(Result<T> result) {
    if (!result) throw ReadFailure{result.error()};
    return std::move(*result);
}

/// Returns the result of `read`, or its failure. The only place where exceptions of readers become errors.
template <typename Read>
auto caught(Read read) -> Result<decltype(read())> {
    try {
        return read();
    } catch (ReadFailure& failure) {
        return std::move(failure.error);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::memory, "needs more memory than is available"};
    }
}

/// Returns the result of `read`. Adds to a failure about wrong bytes what they are part of, unless it says so.
template <typename Read>
auto in_context(const std::string& context, Read read) {
    try {
        return read();
    } catch (ReadFailure& failure) {
        if (failure.error.code == ErrorCode::bad_file && failure.error.context.empty()) failure.error.context = context;
        throw;
    }
}

[[noreturn]] inline void fail_stopped() { throw ReadFailure{stopped()}; }

}  // namespace snapviewer
