#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace snapviewer {

/// Formats bytes in the largest binary unit that keeps the number at 1 or above: "512 B", "1.5 KiB", "12.00 GiB". `decimals`
/// applies from KiB on; plain bytes have no decimals.
std::string format_bytes(std::uint64_t size_bytes, int decimals = 1);

/// Formats a signed number of bytes: "-1.5 KiB".
std::string format_signed_bytes(std::int64_t size_bytes, int decimals = 1);

/// Formats a difference in bytes with its sign: "+1.5 KiB", "-1.5 KiB", "0 B".
std::string format_difference(std::int64_t size_bytes, int decimals = 1);

/// Formats bytes rounded and exactly: "10.0 MiB (10,485,760 bytes)".
std::string format_bytes_exactly(std::uint64_t size_bytes);

/// Formats `part` as a rounded percentage of `whole`: "33 %", or "33.3 %" with one decimal. A part above 0 that rounds to 0
/// is "under 1 %" or "under 0.1 %"; a part of 0 is "0 %".
std::string format_share(std::uint64_t part, std::uint64_t whole, int decimals = 0);

/// Formats network traffic, with its compression ratio if that is at least 1.5: "1.2 MiB over the network, compressed 16
/// times".
std::string format_wire_bytes(std::uint64_t wire_bytes, std::uint64_t content_bytes);

/// Formats a number with its digits grouped in threes: "1,181,182".
std::string format_count(std::uint64_t count);

/// Formats a duration in the unit that suits it: "950 us", "12.3 ms", "4.20 s".
std::string format_duration_us(std::int64_t duration_us);

/// Formats a time, microseconds since the Unix epoch, as UTC: "2026-11-20 23:57:04.123456".
std::string format_wall_clock_us(std::int64_t time_us);

/// Formats a number with its noun, where `noun` is the singular: "1 block", "1,234 blocks".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace snapviewer
