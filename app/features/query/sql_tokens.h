#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

namespace snapviewer {

/// Syntax category of a piece of SQL, which determines its colour.
enum class SqlKind : std::uint8_t { keyword, table, function, text, number, comment, parameter };

/// A piece of a text: bytes [begin, end).
struct SqlToken {
    SqlKind kind = SqlKind::keyword;
    std::size_t begin = 0, end = 0;
    bool operator==(const SqlToken&) const = default;
};

/// Returns the coloured pieces in order; the text between them (column names, operators, blanks) has the default colour. An
/// unclosed string or comment extends to the end. Table names are those of the schema, ignoring case.
std::vector<SqlToken> sql_tokens(std::string_view sql, std::span<const TableDoc> schema);

bool is_sql_blank(char c);
bool is_sql_keyword(std::string_view word);
/// True if a byte can be part of a name.
bool is_sql_name_byte(char c);
/// Returns the end of the comment that begins at `at`, including the line feed after it; `at` if no comment begins there.
std::size_t past_sql_comment(std::string_view sql, std::size_t at);
/// Returns the end of the string or quoted name that begins at `at`; `at` if none begins there. A doubled quote ends one
/// piece and begins the next, which gives the same result.
std::size_t past_sql_quoted(std::string_view sql, std::size_t at);

/// Returns the comment at the start of a query, on one line; empty if there is none.
std::string sql_comment(std::string_view sql);
/// Returns the title of a query for lists: its leading comment, or its first words.
std::string sql_title(std::string_view sql);

}  // namespace snapviewer
