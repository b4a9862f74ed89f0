#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

/// Parses numbers independently of the locale. Floating-point numbers are parsed only here, because some standard libraries
/// lack that.
namespace snapviewer {

/// Parses a number at the beginning of a text, without leading blanks. Returns its length, or 0 without changing `number` if
/// there is none or it is out of range.
template <std::integral Number>
std::size_t read_number(std::string_view text, Number& number, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
}
std::size_t read_number(std::string_view text, double& number);

/// The number that a text is, all of it, without blanks; none if it is anything else or out of bounds.
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

/// A number of bytes, with a unit or without: "52428800", "50MiB", "1.5G". KiB and K are 1024 bytes, KB is 1000. nullopt for
/// anything else.
std::optional<double> parse_byte_size(std::string_view text);

/// An address: "0x7f3c00000000" or decimal digits; nullopt for anything else.
std::optional<std::uint64_t> parse_address(std::string_view text);

}  // namespace snapviewer
