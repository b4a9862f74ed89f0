#pragma once

#include <cassert>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "core/base/text.h"

namespace snapviewer {

enum class ErrorCode : std::uint8_t {
    bad_file,     ///< the bytes violate the format
    unsupported,  ///< a file that is recognised but cannot be read
    io,           ///< the operating system could not read or write
    bad_query,    ///< SQL that SQLite or the limits of this program refuse
    cancelled,    ///< the work was stopped on request
    environment,  ///< a missing display or OpenGL, or a thread or process that cannot start
    memory,       ///< not enough free memory at present; a retry may succeed
};

/// The reason for a failure, in words that a user can act on.
struct Error {
    ErrorCode code = ErrorCode::bad_file;
    std::string message;                       ///< one sentence without file name (the caller adds it) and full stop
    std::optional<std::uint64_t> offset = {};  ///< offset in the file (or archive member) where the error was found
    std::string context = {};  ///< the item that was being read: "event 17 of device 0", "member elements.json"
    std::string file = {};     ///< file that caused the error, if it differs from the file that the caller named

    /// Message, offset and context in one line. Message and context are shortened, because both may contain names from a
    /// malicious file.
    std::string text() const {
        constexpr std::size_t k_max_bytes = 2000;
        std::string text = shortened(message, k_max_bytes);
        if (offset) text += " at byte " + std::to_string(*offset);
        if (!context.empty()) text += " (" + shortened(context, k_max_bytes) + ")";
        return text;
    }
};

/// The error of work that was asked to stop.
inline Error stopped() { return {ErrorCode::cancelled, "stopped"}; }

/// The error for a file or folder that cannot be written. `why` is the message of the system or of a library.
inline Error write_error(const std::string& why) { return {ErrorCode::io, "cannot be written: " + why}; }

/// A value, or the Error that explains why it is missing. No exception crosses a layer of the program.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & {
        assert(ok());
        return std::get<0>(state_);
    }
    const T& value() const& {
        assert(ok());
        return std::get<0>(state_);
    }
    T&& value() && {
        assert(ok());
        return std::get<0>(std::move(state_));
    }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }

    const Error& error() const {
        assert(!ok());
        return std::get<1>(state_);
    }

private:
    std::variant<T, Error> state_;
};

/// Success, or an Error.
class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Error error) : error_(std::move(error)) {}

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    const Error& error() const {
        assert(!ok());
        return *error_;
    }

private:
    std::optional<Error> error_;
};

// Errors for memory, threads and processes that the operating system refuses.

/// The error for `what` (a thread or program) that could not be started. If a resource limit was reached, the message says
/// what the user can do.
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
