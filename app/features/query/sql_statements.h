#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// Byte range of a statement within a text, without surrounding blanks and its semicolon.
struct SqlSpan {
    std::size_t begin = 0, end = 0;
    bool operator==(const SqlSpan&) const = default;
};

/// Splits a text into statements at semicolons outside strings, quoted names and comments. Skips statements that have only
/// blanks and comments.
std::vector<SqlSpan> sql_statements(std::string_view sql);

/// Returns the statement at a caret, else the last one that begins before it, else the first one; the whole text if there
/// are no statements.
SqlSpan statement_at(std::string_view sql, std::size_t caret);

/// True if the caret is in code, not inside a string, a quoted name or a comment.
bool is_sql_code(std::string_view sql, std::size_t caret);

/// Returns the distinct ":name" parameters of a text in the order of their first use, except those in strings and comments.
std::vector<std::string> sql_parameters(std::string_view sql);

}  // namespace snapviewer
