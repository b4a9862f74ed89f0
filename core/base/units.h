#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace snapviewer {

/// Bytes in the largest binary unit that keeps the number at 1 or above: "512 B", "1.5 KiB", "12.00 GiB".
/// decimals applies from KiB on; a plain number of bytes never has any.
std::string format_bytes(std::uint64_t size_bytes, int decimals = 1);

/// Formats a signed number of bytes: "-1.5 KiB".
std::string format_signed_bytes(std::int64_t size_bytes, int decimals = 1);

/// How much more or less something is, with its sign: "+1.5 KiB", "-1.5 KiB", "0 B".
std::string format_difference(std::int64_t size_bytes, int decimals = 1);

/// "10.0 MiB (10,485,760 bytes)".
std::string format_bytes_exactly(std::uint64_t size_bytes);

/// `part` as a rounded percentage of `whole`: "33 %", or "33.3 %" with a decimal. A part that rounds to nothing is
/// "under 1 %" or "under 0.1 %", and nothing is "0 %".
std::string format_share(std::uint64_t part, std::uint64_t whole, int decimals = 0);

/// Network traffic and its compression, if that is worth mentioning: "1.2 MiB over the network, compressed 16 times".
std::string format_wire_bytes(std::uint64_t wire_bytes, std::uint64_t content_bytes);

/// Digits grouped in threes: "1,181,182".
std::string format_count(std::uint64_t count);

/// A length of time in the unit that suits it: "950 us", "12.3 ms", "4.20 s".
std::string format_duration_us(std::int64_t duration_us);

/// Microseconds since the Unix epoch as UTC: "2026-11-20 23:57:04.123456".
std::string format_wall_clock_us(std::int64_t time_us);

/// A number with its noun, of which `noun` is the singular: "1 block", "1,234 blocks".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace snapviewer
