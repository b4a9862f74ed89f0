#include "app/features/query/sql_tokens.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_title_bytes = 60;

// Keywords of queries, sorted for binary search. The database accepts no other kind of statement.
constexpr std::array<std::string_view, 73> k_keywords = {
    "all",    "and",       "as",     "asc",       "between",      "by",      "case",   "cast",    "collate",
    "cross",  "current",   "desc",   "distinct",  "else",         "end",     "escape", "except",  "exclude",
    "exists", "explain",   "filter", "first",     "following",    "from",    "full",   "glob",    "group",
    "groups", "having",    "in",     "inner",     "intersect",    "is",      "isnull", "join",    "last",
    "left",   "like",      "limit",  "match",     "materialized", "natural", "not",    "notnull", "null",
    "nulls",  "offset",    "on",     "or",        "order",        "others",  "outer",  "over",    "partition",
    "plan",   "preceding", "query",  "range",     "recursive",    "regexp",  "right",  "row",     "rows",
    "select", "then",      "ties",   "unbounded", "union",        "using",   "values", "when",    "where",
    "with"};
static_assert(std::ranges::is_sorted(k_keywords));

std::size_t past(std::string_view sql, std::string_view end, std::size_t from) {
    const std::size_t found = sql.find(end, from);
    return found == sql.npos ? sql.size() : found + end.size();
}

std::size_t past_blanks(std::string_view sql, std::size_t at) {
    while (at < sql.size() && is_sql_blank(sql[at])) ++at;
    return at;
}

std::size_t past_name(std::string_view sql, std::size_t at) {
    while (at < sql.size() && is_sql_name_byte(sql[at])) ++at;
    return at;
}

/// Returns the end of a number such as 12, 0x1f, 1.5e-3 or .5.
std::size_t past_number(std::string_view sql, std::size_t at) {
    const bool is_hexadecimal = sql.substr(at).starts_with("0x") || sql.substr(at).starts_with("0X");
    while (at < sql.size()) {
        const bool is_sign =
            (sql[at] == '-' || sql[at] == '+') && !is_hexadecimal && at > 0 && (sql[at - 1] == 'e' || sql[at - 1] == 'E');
        if (!is_sql_name_byte(sql[at]) && sql[at] != '.' && !is_sign) break;
        ++at;
    }
    return at;
}

bool begins_number(std::string_view sql, std::size_t at) {
    return is_digit(sql[at]) || (sql[at] == '.' && at + 1 < sql.size() && is_digit(sql[at + 1]));
}

/// Returns the end of a parameter, such as ":step" or "?1"; `at` if no parameter begins there.
std::size_t past_parameter(std::string_view sql, std::size_t at) {
    if (sql[at] == '?') return past_name(sql, at + 1);
    if (sql[at] != ':' && sql[at] != '@' && sql[at] != '$') return at;
    const std::size_t end = past_name(sql, at + 1);
    return end > at + 1 ? end : at;
}

class Tokeniser {
public:
    Tokeniser(std::string_view sql, std::span<const TableDoc> schema) : sql_(sql) {
        for (const TableDoc& table : schema) tables_.insert(lower_case(table.name));
    }

    std::vector<SqlToken> tokens() {
        std::size_t at = 0;
        while (at < sql_.size()) at = next(at);
        return std::move(tokens_);
    }

private:
    std::size_t put(SqlKind kind, std::size_t begin, std::size_t end) {
        tokens_.push_back({kind, begin, end});
        return end;
    }

    std::size_t next(std::size_t at) {
        if (const std::size_t end = past_sql_comment(sql_, at); end > at) return put(SqlKind::comment, at, end);
        if (const std::size_t end = past_sql_quoted(sql_, at); end > at)
            return sql_[at] == '\'' ? put(SqlKind::text, at, end) : end;
        if (const std::size_t end = past_parameter(sql_, at); end > at) return put(SqlKind::parameter, at, end);
        if (begins_number(sql_, at)) return put(SqlKind::number, at, past_number(sql_, at));
        return is_sql_name_byte(sql_[at]) ? word(at) : at + 1;
    }

    std::size_t word(std::size_t begin) {
        const std::size_t end = past_name(sql_, begin);
        const std::string lower = lower_case(sql_.substr(begin, end - begin));
        const bool is_qualified = begin > 0 && sql_[begin - 1] == '.';
        const bool is_keyword = !is_qualified && is_sql_keyword(lower);
        if (is_keyword) return put(SqlKind::keyword, begin, end);
        if (tables_.contains(lower)) return put(SqlKind::table, begin, end);
        const std::size_t after = past_blanks(sql_, end);
        const bool is_called = after < sql_.size() && sql_[after] == '(' && !is_qualified;
        return is_called ? put(SqlKind::function, begin, end) : end;
    }

    std::string_view sql_;
    std::unordered_set<std::string> tables_;
    std::vector<SqlToken> tokens_;
};

/// Collapses whitespace so that a text fits on one line, and cuts a long text.
std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (!is_sql_blank(c))
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (line.size() <= k_title_bytes) return line;
    std::size_t end = k_title_bytes;
    while (end > 0 && (static_cast<unsigned char>(line[end]) >> 6) == 2) --end;  // do not cut within a UTF-8 character
    return line.substr(0, end) + "…";
}

}  // namespace

bool is_sql_keyword(std::string_view word) {
    return std::ranges::binary_search(k_keywords, std::string_view(lower_case(word)));
}

bool is_sql_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

bool is_sql_name_byte(char c) { return is_letter(c) || is_digit(c) || c == '_' || (c & 0x80) != 0; }

std::size_t past_sql_comment(std::string_view sql, std::size_t at) {
    const std::string_view rest = sql.substr(at);
    if (rest.starts_with("--")) return past(sql, "\n", at + 2);
    if (rest.starts_with("/*")) return past(sql, "*/", at + 2);
    return at;
}

std::size_t past_sql_quoted(std::string_view sql, std::size_t at) {
    const char quote = sql[at];
    if (quote == '[') return past(sql, "]", at + 1);
    if (quote != '\'' && quote != '"' && quote != '`') return at;
    return past(sql, std::string_view(&quote, 1), at + 1);
}

std::vector<SqlToken> sql_tokens(std::string_view sql, std::span<const TableDoc> schema) {
    return Tokeniser(sql, schema).tokens();
}

std::string sql_comment(std::string_view sql) {
    const std::size_t begin = past_blanks(sql, 0);
    const std::size_t end = begin < sql.size() ? past_sql_comment(sql, begin) : begin;
    if (end == begin) return {};
    std::string_view comment = sql.substr(begin + 2, end - begin - 2);
    if (sql[begin] == '/' && comment.ends_with("*/")) comment.remove_suffix(2);
    return in_one_line(comment);
}

std::string sql_title(std::string_view sql) {
    const std::string comment = sql_comment(sql);
    if (!comment.empty()) return comment;
    const std::size_t begin = past_blanks(sql, 0);
    return in_one_line(sql.substr(begin < sql.size() ? past_sql_comment(sql, begin) : begin));
}

}  // namespace snapviewer
