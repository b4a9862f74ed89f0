#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace snapviewer {

/// Abstract source of bytes, read in pieces from front to back.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Returns the next piece, which is valid until the next call; an empty piece at the end, also on further calls. Throws
    /// Failure. Its is_cut is true if the input breaks off or is damaged here; then all earlier pieces are good.
    virtual std::string_view next_piece() = 0;
    /// True if consecutive pieces are contiguous in memory and stay valid as long as the source.
    virtual bool keeps_pieces() const { return false; }
};

/// Abstract decoder, which writes unpacked bytes into a buffer of the caller.
class ByteReader {
public:
    virtual ~ByteReader() = default;
    /// Writes up to room.size() bytes into `room`, which must not be empty. Returns the number of bytes, or 0 at the end.
    /// Throws Failure as ByteSource::next_piece() does.
    virtual std::size_t read(std::span<char> room) = 0;
};

}  // namespace snapviewer
