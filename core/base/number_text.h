#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

/// Parses numbers independently of the locale. All floating-point numbers are parsed here, because std::from_chars does not
/// support them in some standard libraries.
namespace snapviewer {

/// Parses a number at the beginning of a text; leading blanks are not skipped. Returns its length, or 0 without changing
/// `number` if the text starts with no number or the number is out of range.
template <std::integral Number>
std::size_t read_number(std::string_view text, Number& number, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
}
std::size_t read_number(std::string_view text, double& number);

/// Parses a text that consists only of a number, without blanks. nullopt for any other text and for numbers out of range.
template <std::integral Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
    Number number{};
    return !text.empty() && read_number(text, number, base) == text.size() ? std::optional(number) : std::nullopt;
}
template <std::same_as<double> Number>
std::optional<double> parse_number(std::string_view text) {
    double number = 0;
    return !text.empty() && read_number(text, number) == text.size() ? std::optional(number) : std::nullopt;
}

/// Parses a number of bytes with an optional unit: "52428800", "50MiB", "1.5G". KiB and K are 1024 bytes, KB is 1000 bytes.
/// nullopt for any other text.
std::optional<double> parse_byte_size(std::string_view text);

/// Parses an address: "0x7f3c00000000" or decimal digits. nullopt for any other text.
std::optional<std::uint64_t> parse_address(std::string_view text);

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

/// Rounds a number to `decimals` decimal places, at most 9, as if it were written in decimal. Ties round to the even digit.
double rounded(double value, int decimals);

}  // namespace snapviewer
