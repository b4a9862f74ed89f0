#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace snapviewer {

enum class ErrorCode : std::uint8_t {
    bad_file,     ///< the bytes are not what the format promises
    unsupported,  ///< a file we recognise and do not read
    io,           ///< the system could not read or write
    bad_query,    ///< SQL that SQLite or our limits refuse
    cancelled,    ///< the user stopped it
    environment,  ///< no display, no OpenGL
    memory,       ///< there is too little of it now; the same may go well later
};

/// Why something failed, in words a user can act on.
struct Error {
    ErrorCode code = ErrorCode::bad_file;
    std::string message;                       ///< one sentence, no file name (the caller knows it), no full stop
    std::optional<std::uint64_t> offset = {};  ///< byte in the file (or member) where it was noticed
    std::string context = {};                  ///< what was being read: "event 17 of device 0", "member elements.json"
    std::string file = {};                     ///< that is at fault, where it is not the one that the caller named

    /// message, place and context in one line.
    std::string text() const;
};

/// What work gives back that was asked to stop.
inline Error stopped() { return {ErrorCode::cancelled, "stopped"}; }

/// Of a file or folder; `why` are the words of the system or of a library.
inline Error write_error(const std::string& why) { return {ErrorCode::io, "cannot be written: " + why}; }

/// A value or the Error that explains its absence. Nothing in snapviewer throws across a layer.
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

/// Success without a value, or an Error.
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

}  // namespace snapviewer
