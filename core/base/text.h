#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace snapviewer {

/// Formats a JSON string with its quotes that is safe to print on a terminal: terminal control characters are escaped. Bytes
/// that are not UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

/// Replaces bytes that are not UTF-8 by U+FFFD.
std::string valid_utf8(std::string_view text);

/// How terminal_text() handles line feeds.
enum class LineFeeds : std::uint8_t { escaped, kept };

/// Escapes an untrusted text so that it can neither control the terminal that it is printed to nor inject commands into the
/// log of a CI job. Control characters and characters that change the direction of writing are escaped as in JSON, so that
/// JSON text keeps its meaning. CI services take "##[" and "##vso[" anywhere, and "::" at the beginning of a line, for
/// commands; the "#" or the first colon of those is escaped, too. Bytes that are not UTF-8 become "\xff". With
/// LineFeeds::escaped the result is a single line; with LineFeeds::kept a carriage return before a line feed is dropped.
std::string terminal_text(std::string_view text, LineFeeds line_feeds = LineFeeds::escaped);

/// Replaces each run of control characters by a space, for texts that are shown in one line.
std::string one_line(std::string_view text);

/// True for an ASCII digit, independent of the locale.
constexpr bool is_digit(int c) { return c >= '0' && c <= '9'; }
/// True for an ASCII letter, independent of the locale.
constexpr bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// The run of digits that starts at `begin`; empty if there is none.
std::string_view digits_at(std::string_view text, std::size_t begin);

/// Returns a view of the text without leading and trailing spaces, tabs, carriage returns and line feeds.
std::string_view trimmed(std::string_view text);

/// Converts ASCII letters to lower case; other characters are unchanged.
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
std::string lower_case(std::string_view text);
/// True if `text` contains `part`, ignoring the case of ASCII letters.
bool contains_in_any_case(std::string_view text, std::string_view part);

/// Makes an array of texts from its elements.
template <typename Text = std::string_view, std::convertible_to<Text>... Texts>
constexpr std::array<Text, sizeof...(Texts)> text_array(const Texts&... texts) {
    return {texts...};
}

/// Whether a comparison distinguishes upper case and lower case.
enum class LetterCase : std::uint8_t { matters, ignored };

/// Compares names in natural order: digits compare by their numeric value, so `rank2` comes before `rank10`. Returns a
/// number below, equal to or above 0; 0 only if the texts are identical.
int compare_names(std::string_view a, std::string_view b, LetterCase letter_case = LetterCase::matters);

/// Shortens a text to at most `max_bytes` bytes by replacing its middle with `left_out`. Does not split UTF-8 characters.
std::string shortened(std::string_view text, std::size_t max_bytes, std::string_view left_out = " ... ");

/// Appends one code point, up to U+10FFFF, as UTF-8.
void append_utf8(std::string& out, std::uint32_t code);

// Parses numbers independently of the locale. All floating-point numbers are parsed here, because std::from_chars does not
// support them in some standard libraries.

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

// Conversions between text and JSON values, for everything but trace files (core/load has a scanner of its own). The
// templates of the library for both directions are large, and only text.cpp compiles them.

/// Maximum nesting depth of JSON text. Deeper values are rejected, because writing, copying and comparing a value recurse at
/// each level.
constexpr int k_json_depth_limit = 64;

/// Parses JSON text. Returns a value with is_discarded() if the text is not valid JSON or is nested too deeply.
nlohmann::json parse_json(std::string_view text);
/// Parses like parse_json(), but keeps the order of keys in objects.
nlohmann::ordered_json parse_ordered_json(std::string_view text);

/// Serialises a value in one line, or indented by `spaces` for each level if that is not negative. Bytes that are not UTF-8
/// become U+FFFD.
std::string json_text(const nlohmann::json& value, int spaces = -1);
std::string json_text(const nlohmann::ordered_json& value, int spaces = -1);

/// Returns the value as JSON; null for nullopt. The caller includes nlohmann/json.hpp.
template <typename Json = nlohmann::ordered_json, typename T>
Json value_or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}
/// Returns a JSON array with the result of `make(row)` for each row. The caller includes nlohmann/json.hpp.
template <typename Json = nlohmann::ordered_json, typename Rows, typename Make>
Json json_array(const Rows& rows, const Make& make) {
    Json json = Json::array();
    for (const auto& row : rows) json.push_back(std::invoke(make, row));
    return json;
}

}  // namespace snapviewer
