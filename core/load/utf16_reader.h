#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/load/byte_source.h"

namespace snapviewer {

/// True if bytes begin like UTF-16 text: with a byte order mark, as Windows PowerShell writes it, or like JSON or an HTML
/// page.
bool looks_like_utf16(std::string_view front);

/// Converts UTF-16 text to UTF-8 and drops its byte order mark. Surrogates without a partner become U+FFFD. Throws a Failure
/// with is_cut if the text ends within a character.
class Utf16Reader : public ByteReader {
public:
    explicit Utf16Reader(ByteSource& text) : text_(text) {}

    std::size_t read(std::span<char> room) override;

private:
    /// Returns the next 16-bit unit, or nullopt at the end.
    std::optional<std::uint16_t> next_unit();
    std::optional<std::uint8_t> next_byte();
    void begin();

    ByteSource& text_;
    std::string_view piece_;
    std::uint64_t read_bytes_ = 0;
    bool has_begun_ = false;
    bool is_big_endian_ = false;
    std::optional<std::uint16_t> pending_;  ///< Unit that was read ahead, or nullopt
};

}  // namespace snapviewer
