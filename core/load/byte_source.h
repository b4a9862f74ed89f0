#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace snapviewer {

/// Where bytes come from, piece by piece.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// The next piece, valid until the next call; empty at the end, however often asked. Throws Failure, which is_cut
    /// where the input ends or breaks off: all that came before is good.
    virtual std::string_view next_piece() = 0;
    /// Whether pieces follow each other in memory and stay valid as long as the source.
    virtual bool keeps_pieces() const { return false; }
};

/// Something that unpacks bytes into room that it is given.
class ByteReader {
public:
    virtual ~ByteReader() = default;
    /// Fills up to `room`, at least a byte; 0 at the end. Throws Failure as a ByteSource does.
    virtual std::size_t read(std::span<char> room) = 0;
};

}  // namespace snapviewer
