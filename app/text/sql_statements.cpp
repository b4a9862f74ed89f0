#include "app/text/sql_statements.h"

#include <algorithm>

namespace snapviewer {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

bool is_name_sign(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

std::size_t past(std::string_view sql, std::string_view end, std::size_t from) {
    const std::size_t found = sql.find(end, from);
    return found == sql.npos ? sql.size() : found + end.size();
}

/// Where what begins at `at` ends, if it is a comment; otherwise `at`.
std::size_t past_comment(std::string_view sql, std::size_t at) {
    const std::string_view rest = sql.substr(at);
    if (rest.starts_with("--")) return past(sql, "\n", at + 2);
    if (rest.starts_with("/*")) return past(sql, "*/", at + 2);
    return at;
}

/// The same for a string or a quoted name. A quote that is doubled ends one and begins the next, which comes to the same.
std::size_t past_quoted(std::string_view sql, std::size_t at) {
    const char quote = sql[at];
    if (quote == '[') return past(sql, "]", at + 1);
    if (quote != '\'' && quote != '"' && quote != '`') return at;
    return past(sql, std::string_view(&quote, 1), at + 1);
}

/// Calls `code(begin, end)` for each byte that is neither blank nor in a comment; what is quoted is one piece.
template <typename Code>
void for_each_code(std::string_view sql, Code code) {
    for (std::size_t at = 0; at < sql.size();) {
        if (const std::size_t end = past_comment(sql, at); end > at) {
            at = end;
            continue;
        }
        const std::size_t end = past_quoted(sql, at);
        if (!is_blank(sql[at])) code(at, end > at ? end : at + 1);
        at = end > at ? end : at + 1;
    }
}

}  // namespace

std::vector<SqlSpan> sql_statements(std::string_view sql) {
    std::vector<SqlSpan> statements;
    bool is_within = false;
    for_each_code(sql, [&](std::size_t begin, std::size_t end) {
        if (sql[begin] == ';') {
            is_within = false;
            return;
        }
        if (!is_within) statements.push_back({begin, end});
        statements.back().end = end;
        is_within = true;
    });
    return statements;
}

SqlSpan statement_at(std::string_view sql, std::size_t caret) {
    SqlSpan found{0, sql.size()};
    bool is_first = true;
    for (const SqlSpan& each : sql_statements(sql)) {
        if (!is_first && each.begin > caret) break;
        found = each;
        is_first = false;
    }
    return found;
}

bool is_sql_code(std::string_view sql, std::size_t caret) {
    // What is not closed before the caret goes on when something is written behind it.
    const std::string_view before = sql.substr(0, caret);
    const std::string probe = std::string(before) + '\n';
    for (std::size_t at = 0; at < before.size();) {
        const std::size_t end = std::max(past_comment(probe, at), past_quoted(probe, at));
        if (end >= probe.size() && end > at) return false;
        at = std::max(end, at + 1);
    }
    return true;
}

std::vector<std::string> sql_parameters(std::string_view sql) {
    std::vector<std::string> names;
    for_each_code(sql, [&](std::size_t begin, std::size_t) {
        if (sql[begin] != ':' || (begin > 0 && is_name_sign(sql[begin - 1]))) return;
        std::size_t end = begin + 1;
        while (end < sql.size() && is_name_sign(sql[end])) ++end;
        std::string name(sql.substr(begin, end - begin));
        if (name.size() > 1 && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    });
    return names;
}

}  // namespace snapviewer
