#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

namespace snapviewer::query {

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
std::vector<SqlToken> sql_tokens(std::string_view sql, std::span<const sqlite::TableDoc> schema);

/// True if a byte can be part of a name.
bool is_sql_name_byte(char c);
/// Returns the end of the comment that begins at `at`, including the line feed after it; `at` if no comment begins there.
std::size_t past_sql_comment(std::string_view sql, std::size_t at);

/// Returns the comment at the start of a query, on one line; empty if there is none.
std::string sql_comment(std::string_view sql);
/// Returns the title of a query for lists: its leading comment, or its first words.
std::string sql_title(std::string_view sql);

/// Bytes [begin, end) of a text: a statement without surrounding blanks and its semicolon, a word, or a wrapped line without
/// the line feed after it.
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

/// Returns the distinct ":name" parameters of a text in the order of their first use, except those in strings and comments.
std::vector<std::string> sql_parameters(std::string_view sql);

/// A suggested name.
struct SqlName {
    std::string text;
    std::string kind;  ///< kind for display: "table", "column of allocations, INTEGER", "function", "parameter"
    std::string doc;
};

/// Completions of the word that ends at a caret, and the start of that word.
struct SqlCompletion {
    std::size_t word_begin = 0;
    std::vector<SqlName> names;  ///< best match first
};

/// Completes the word at the caret, with at most `most` names. After "table." or "alias." come its columns; after "a." or
/// "b." the tables of one of two files; after ":" the parameters; elsewhere the columns of tables in the statement, tables
/// and functions. No completions before a letter is typed, for a complete word, and in strings and comments.
SqlCompletion complete_sql(std::string_view sql, std::size_t caret, std::span<const sqlite::TableDoc> schema,
                           std::span<const QueryParameter> parameters, std::size_t max_count);

/// Returns the name at the caret, also if the caret is right after it and its opening parenthesis: a table, a column of a
/// table in the statement, or a function. Functions are named by their usage: "sum(x)".
std::optional<SqlName> sql_name_at(std::string_view sql, std::size_t caret, std::span<const sqlite::TableDoc> schema);

/// Functions to describe to the user: all functions of this program, and the best-known functions of SQLite.
std::vector<FunctionDoc> sql_functions();

/// Values that the user typed, by the name of the parameter (":step"). A blank value counts as not given.
using GivenParameters = std::map<std::string, std::string>;

/// Parses a typed value: an integer, a real number, NULL, a text in single quotes, or otherwise the text itself.
Cell typed_value(std::string_view typed);

/// Returns the parameters of a query: values that the user gave override those of the window.
std::vector<QueryParameter> with_given(std::span<const QueryParameter> shown, const GivenParameters& given);

/// Returns the byte offset after the UTF-8 character at `at`.
std::size_t past_character(std::string_view sql, std::size_t at);

/// Returns how many bytes from the start of a text fit into a line, in whole characters; 0 if not even one fits.
using FitsInLine = std::function<std::size_t(std::string_view text)>;

/// Wraps a text at line feeds and where a line is too long. Returns at least one line.
std::vector<SqlSpan> wrap_sql(std::string_view sql, const FitsInLine& fits);

/// Returns the line of a caret. At the border of two wrapped lines, that is the start of the second one.
std::size_t line_of_byte(const std::vector<SqlSpan>& lines, std::size_t byte);

/// Returns the last byte in a line at which a caret is still drawn in that line.
std::size_t last_caret_of(const std::vector<SqlSpan>& lines, std::size_t line, std::string_view sql);

/// Returns bytes [begin, end) of the word around a byte, for a double click; a blank or a symbol is a word of its own.
SqlSpan word_around(std::string_view sql, std::size_t byte);

}  // namespace snapviewer::query
