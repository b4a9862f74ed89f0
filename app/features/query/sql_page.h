#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace snapviewer {

/// What of a text stands in one line of the screen: bytes [begin, end), without the line feed behind it.
struct SqlLine {
    std::size_t begin = 0, end = 0;
    bool operator==(const SqlLine&) const = default;
};

/// The byte behind the character at one.
std::size_t past_character(std::string_view sql, std::size_t at);

/// How many bytes of a text, from its first one on, fit into a line of the screen: whole characters, none if none fits.
using FitsInLine = std::function<std::size_t(std::string_view text)>;

/// Where the first line of a text without line feeds ends: behind the last blank that fits if there is one. At least one
/// character is before it.
std::size_t first_line_end(std::string_view text, const FitsInLine& fits);

/// The lines of a text, at least one; what is too long for one goes on in the next.
std::vector<SqlLine> wrap_sql(std::string_view sql, const FitsInLine& fits);

/// The line in which a caret at a byte stands: between two that were one, at the beginning of the second.
std::size_t line_of_byte(const std::vector<SqlLine>& lines, std::size_t byte);

/// The last byte at which a caret still stands in a line.
std::size_t last_caret_of(const std::vector<SqlLine>& lines, std::size_t line, std::string_view sql);

/// Bytes [begin, end) of the word around a byte, for a double click; a blank or a sign is one of its own.
SqlLine word_around(std::string_view sql, std::size_t byte);

}  // namespace snapviewer
