#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

/// Whether a comparison distinguishes upper case and lower case.
enum class LetterCase : std::uint8_t { matters, ignored };

/// Compares names in natural order: digits compare by their numeric value, so `rank2` comes before `rank10`. Returns a
/// number below, equal to or above 0; 0 only if the texts are identical.
int compare_names(std::string_view a, std::string_view b, LetterCase letter_case = LetterCase::matters);

/// Shortens a text to at most `max_bytes` bytes by replacing its middle with `left_out`. Does not split UTF-8 characters.
std::string shortened(std::string_view text, std::size_t max_bytes, std::string_view left_out = " ... ");

/// Appends one code point, up to U+10FFFF, as UTF-8.
void append_utf8(std::string& out, std::uint32_t code);

}  // namespace snapviewer
