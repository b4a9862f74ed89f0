#pragma once

#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/result.h"

/// What to say if the operating system refuses memory, a thread or a process.
namespace snapviewer {

/// `what` cannot be started because of `failed`. Says what to do if a limit is reached.
inline Error start_error(const std::string& what, const std::error_code& failed) {
    std::string message = what + " cannot be started: " + failed.message();
    if (failed == std::errc::resource_unavailable_try_again)
        message += "; end other programs, or raise the limit on processes, threads or memory (ulimit, or the container's)";
    return {ErrorCode::environment, std::move(message)};
}

/// An exception of the standard library as an error: a lack of memory, a thread that was refused, or anything else.
inline Error error_of(const std::exception& thrown) {
    if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
        return {ErrorCode::memory,
                "needs more memory than is available; end other programs, or raise the limit (ulimit, or the container's)"};
    if (const auto* refused = dynamic_cast<const std::system_error*>(&thrown))
        return start_error("a thread", refused->code());
    return {ErrorCode::environment, thrown.what()};
}

}  // namespace snapviewer
