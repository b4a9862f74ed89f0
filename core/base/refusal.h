#pragma once

#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/result.h"

/// Errors for memory, threads and processes that the operating system refuses.
namespace snapviewer {

/// The error for `what` (a thread or program) that could not be started. If a resource limit was reached, the message tells
/// the user what to do.
inline Error start_error(const std::string& what, const std::error_code& failed) {
    std::string message = what + " cannot be started: " + failed.message();
    if (failed == std::errc::resource_unavailable_try_again)
        message += "; end other programs, or raise the limit on processes, threads or memory (ulimit, or the container's)";
    return {ErrorCode::environment, std::move(message)};
}

/// Converts an exception of the standard library to an error: out of memory, a thread that could not be started, or any
/// other exception.
inline Error error_of(const std::exception& thrown) {
    if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
        return {ErrorCode::memory,
                "needs more memory than is available; end other programs, or raise the limit (ulimit, or the container's)"};
    if (const auto* refused = dynamic_cast<const std::system_error*>(&thrown))
        return start_error("a thread", refused->code());
    return {ErrorCode::environment, thrown.what()};
}

}  // namespace snapviewer
