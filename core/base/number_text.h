#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
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

}  // namespace snapviewer
