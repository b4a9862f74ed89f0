#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace snapviewer {

/// A wrapped line of a text: bytes [begin, end), without the line feed after it.
struct SqlLine {
    std::size_t begin = 0, end = 0;
    bool operator==(const SqlLine&) const = default;
};

/// Returns the byte offset after the UTF-8 character at `at`.
std::size_t past_character(std::string_view sql, std::size_t at);

/// Returns how many bytes from the start of a text fit into a line, in whole characters; 0 if not even one fits.
using FitsInLine = std::function<std::size_t(std::string_view text)>;

/// Returns the end of the first wrapped line of a text without line feeds: after the last blank that fits, else after the
/// last character that fits. The line has at least one character.
std::size_t first_line_end(std::string_view text, const FitsInLine& fits);

/// Wraps a text at line feeds and where a line is too long. Returns at least one line.
std::vector<SqlLine> wrap_sql(std::string_view sql, const FitsInLine& fits);

/// Returns the line of a caret. At the border of two wrapped lines, that is the start of the second one.
std::size_t line_of_byte(const std::vector<SqlLine>& lines, std::size_t byte);

/// Returns the last byte in a line at which a caret is still drawn in that line.
std::size_t last_caret_of(const std::vector<SqlLine>& lines, std::size_t line, std::string_view sql);

/// Returns bytes [begin, end) of the word around a byte, for a double click; a blank or a symbol is a word of its own.
SqlLine word_around(std::string_view sql, std::size_t byte);

}  // namespace snapviewer
