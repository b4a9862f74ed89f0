#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/context.h"

namespace snapviewer {

/// Abstract source of bytes, read in pieces from front to back.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Returns the next piece, which is valid until the next call; an empty piece at the end, also on further calls. Throws
    /// Failure. Its is_cut is true if the input breaks off or is damaged here; then all earlier pieces are good.
    virtual std::string_view next_piece() = 0;
    /// True if consecutive pieces are contiguous in memory and stay valid as long as the source.
    virtual bool has_contiguous_pieces() const { return false; }
};

/// Abstract decoder, which writes unpacked bytes into a buffer of the caller.
class ByteReader {
public:
    virtual ~ByteReader() = default;
    /// Writes up to buffer.size() bytes into `buffer`, which must not be empty. Returns the number of bytes, or 0 at the
    /// end. Throws Failure as ByteSource::next_piece() does.
    virtual std::size_t read(std::span<char> buffer) = 0;
};

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

/// Returns the little-endian number that `bytes` contain, at most 8 of them. Zip and LZMA store numbers like this.
inline std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

}  // namespace snapviewer
