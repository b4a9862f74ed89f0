#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// A statement within a text: bytes of it, without the blanks around it and its semicolon.
struct SqlSpan {
    std::size_t begin = 0, end = 0;
    bool operator==(const SqlSpan&) const = default;
};

/// The statements of a text, apart by semicolons that stand in no string, quoted name or comment. Pieces of nothing but
/// blanks and comments are none.
std::vector<SqlSpan> sql_statements(std::string_view sql);

/// The one in which a caret stands, or the last that ends before it; all of the text where there is none.
SqlSpan statement_at(std::string_view sql, std::size_t caret);

/// Whether a caret stands in code, not within a string, a quoted name or a comment.
bool is_sql_code(std::string_view sql, std::size_t caret);

/// The ":name"s of a text, each once, in the order in which they first stand there; not those in strings and comments.
std::vector<std::string> sql_parameters(std::string_view sql);

}  // namespace snapviewer
