#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string_view>

#include "core/load/byte_source.h"

namespace snapviewer {

/// Base of all decompressing readers. Reads one or more packed streams in a row, with zero bytes between them at most.
/// Ignores any other data behind the last one, as gunzip does. If the input ends early or is damaged, read() returns all
/// bytes before that and then throws a failure that is_cut, with the offset in the packed input.
class PackedReader : public ByteReader {
public:
    std::size_t read(std::span<char> room) final;

protected:
    enum class Outcome : std::uint8_t { going_on, end_of_stream, damaged };

    /// `packed` outlives this. `how` is for errors: "gzipped".
    PackedReader(ByteSource& packed, std::string_view how) : packed_(packed), how_(how) {}

    /// Unpacks from the front of `in` to the front of `out`, and removes the used bytes from both. `in` is empty only if
    /// output is left.
    virtual Outcome unpack(std::string_view& in, std::span<char>& out) = 0;
    /// Whether more comes out without more going in.
    virtual bool holds_output() const { return false; }
    /// Makes ready for another stream if `first` is the byte one begins with.
    virtual bool begin_another(char first) = 0;

private:
    bool has_input();
    bool begins_another(std::uint64_t unpacked_bytes);
    [[noreturn]] void fail_here(std::string_view what) const;

    ByteSource& packed_;
    std::string_view how_;
    std::string_view in_;             ///< taken from packed_ and not yet unpacked
    std::uint64_t packed_bytes_ = 0;  ///< taken from packed_ so far
    std::uint64_t zeros_at_end_ = 0;  ///< zeros at the end of the input so far
    std::uint64_t unpacked_bytes_ = 0;
    std::uint64_t stream_begin_ = 0;  ///< how much was unpacked when the present stream began
    std::uint64_t empty_streams_ = 0;
    bool at_end_ = false;
    std::exception_ptr failure_;  ///< for when what came before it was read
};

}  // namespace snapviewer
