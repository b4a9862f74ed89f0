#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

namespace snapviewer {

/// What a piece of SQL is to the eye.
enum class SqlKind : std::uint8_t { keyword, table, function, text, number, comment, parameter };

/// A piece of a text: bytes [begin, end).
struct SqlToken {
    SqlKind kind = SqlKind::keyword;
    std::size_t begin = 0, end = 0;
    bool operator==(const SqlToken&) const = default;
};

/// The pieces that stand out, in their order; what is between them (names of columns, operators, blanks) is plain. A text
/// or a comment that is not closed goes on to the end. Names of tables are those of the schema, letters of either case.
std::vector<SqlToken> sql_tokens(std::string_view sql, std::span<const TableDoc> schema);

bool is_sql_blank(char c);
bool is_sql_keyword(std::string_view word);
/// Whether a byte may belong to a name.
bool is_sql_name_byte(char c);
/// Where what begins at `at` ends if it is a comment, the end of its line with it; otherwise `at`.
std::size_t past_sql_comment(std::string_view sql, std::size_t at);
/// The same for a string or a quoted name. A quote that is doubled ends one and begins the next, which comes to the same.
std::size_t past_sql_quoted(std::string_view sql, std::size_t at);

/// The comment that a query begins with, in one line; empty where it begins with none.
std::string sql_comment(std::string_view sql);
/// What a list of queries calls one: that comment, or its first words.
std::string sql_title(std::string_view sql);

}  // namespace snapviewer
