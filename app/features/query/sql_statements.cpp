#include "app/features/query/sql_statements.h"

#include <algorithm>

#include "app/features/query/sql_tokens.h"

namespace snapviewer {
namespace {

/// Calls `code(begin, end)` for each byte that is neither blank nor in a comment; a quoted part is passed as one piece.
template <typename Code>
void for_each_code(std::string_view sql, Code code) {
    for (std::size_t at = 0; at < sql.size();) {
        if (const std::size_t end = past_sql_comment(sql, at); end > at) {
            at = end;
            continue;
        }
        const std::size_t end = past_sql_quoted(sql, at);
        if (!is_sql_blank(sql[at])) code(at, end > at ? end : at + 1);
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
    // A line feed is appended, so that a string or comment that is still open at the caret reaches the end of the probe.
    const std::string_view before = sql.substr(0, caret);
    const std::string probe = std::string(before) + '\n';
    for (std::size_t at = 0; at < before.size();) {
        const std::size_t end = std::max(past_sql_comment(probe, at), past_sql_quoted(probe, at));
        if (end >= probe.size() && end > at) return false;
        at = std::max(end, at + 1);
    }
    return true;
}

std::vector<std::string> sql_parameters(std::string_view sql) {
    std::vector<std::string> names;
    for_each_code(sql, [&](std::size_t begin, std::size_t) {
        if (sql[begin] != ':' || (begin > 0 && is_sql_name_byte(sql[begin - 1]))) return;
        std::size_t end = begin + 1;
        while (end < sql.size() && is_sql_name_byte(sql[end])) ++end;
        std::string name(sql.substr(begin, end - begin));
        if (name.size() > 1 && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    });
    return names;
}

}  // namespace snapviewer
