#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace snapviewer {

/// A JSON string, quotes included, that is harmless on a terminal: what could steer one is escaped. Bytes that are not UTF-8
/// become U+FFFD.
std::string json_quoted(std::string_view text);

/// With everything that is not UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

/// What terminal_text() does with line feeds.
enum class LineFeeds : std::uint8_t { escaped, kept };

/// A text that cannot steer the terminal it is printed to, nor the server of a CI job that reads its log, whoever wrote it.
/// Control characters and those that change the direction of writing are spelled as in JSON (so that JSON stays the same
/// JSON), likewise what such servers take for commands: the # of "##[" and "##vso[" anywhere, and of "::" at the beginning
/// of a line the first colon. Bytes that are not UTF-8 come as "\xff". With its line feeds escaped it is one line; where
/// they are kept, a carriage return before one is dropped.
std::string terminal_text(std::string_view text, LineFeeds line_feeds = LineFeeds::escaped);

/// A text for one line of the screen: a space for each run of control characters.
std::string one_line(std::string_view text);

/// 0 to 9 and nothing else, whatever the locale.
constexpr bool is_digit(int c) { return c >= '0' && c <= '9'; }
/// A to Z in either case, likewise.
constexpr bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Those that follow one another from a place on.
std::string_view digits_at(std::string_view text, std::size_t begin);

/// Without the spaces, tabs and ends of lines around it; a view of the same text.
std::string_view trimmed(std::string_view text);

/// A to Z as a small letter; everything else stays.
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
std::string lower_case(std::string_view text);
/// Whether a part stands somewhere in a text, whatever the case of letters of ASCII.
bool contains_in_any_case(std::string_view text, std::string_view part);

/// Whether letters that differ in their case alone are the same.
enum class LetterCase : std::uint8_t { matters, ignored };

/// Below, equal to or above 0, as people read names: numbers in them count by their value, `rank2` before `rank10`. Equal
/// only where they are the same text.
int compare_names(std::string_view a, std::string_view b, LetterCase letter_case = LetterCase::matters);

/// At most so many bytes of a text: of a longer one the middle is left out, with `left_out` in its place. No character is
/// cut.
std::string shortened(std::string_view text, std::size_t most_bytes, std::string_view left_out = " ... ");

/// Appends one character, a code point up to U+10FFFF.
void append_utf8(std::string& out, std::uint32_t code);

}  // namespace snapviewer
