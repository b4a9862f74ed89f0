#include "app/features/query/sql_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"

namespace snapviewer::query {
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

bool is_sql_keyword(std::string_view word) {
    return std::ranges::binary_search(k_keywords, std::string_view(lower_case(word)));
}

bool is_sql_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

/// True for the first byte of a UTF-8 character.
bool begins_character(char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }

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

/// Returns the end of the string or quoted name that begins at `at`; `at` if none begins there. A doubled quote ends one
/// piece and begins the next, which gives the same result.
std::size_t past_sql_quoted(std::string_view sql, std::size_t at) {
    const char quote = sql[at];
    if (quote == '[') return past(sql, "]", at + 1);
    if (quote != '\'' && quote != '"' && quote != '`') return at;
    return past(sql, std::string_view(&quote, 1), at + 1);
}

class Tokeniser {
public:
    Tokeniser(std::string_view sql, std::span<const sqlite::TableDoc> schema) : sql_(sql) {
        for (const sqlite::TableDoc& table : schema) tables_.insert(lower_case(table.name));
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
    while (end > 0 && !begins_character(line[end])) --end;
    return line.substr(0, end) + "…";
}

}  // namespace

bool is_sql_name_byte(char c) { return is_letter(c) || is_digit(c) || c == '_' || (c & 0x80) != 0; }

std::size_t past_sql_comment(std::string_view sql, std::size_t at) {
    const std::string_view rest = sql.substr(at);
    if (rest.starts_with("--")) return past(sql, "\n", at + 2);
    if (rest.starts_with("/*")) return past(sql, "*/", at + 2);
    return at;
}

std::vector<SqlToken> sql_tokens(std::string_view sql, std::span<const sqlite::TableDoc> schema) {
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

std::vector<std::string> sql_parameters(std::string_view sql) {
    std::vector<std::string> names;
    for_each_code(sql, [&](std::size_t begin, std::size_t) {
        if (sql[begin] != ':' || (begin > 0 && is_sql_name_byte(sql[begin - 1]))) return;
        std::string name(sql.substr(begin, past_name(sql, begin + 1) - begin));
        if (name.size() > 1 && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    });
    return names;
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> k_sqlite_functions = {{
    {"count(*)", "how many rows"},
    {"sum(x)", "of all values that are not NULL"},
    {"avg(x)", "the average"},
    {"min(x)", "the smallest"},
    {"max(x)", "the largest"},
    {"total(x)", "the sum as a real number, 0 for no rows"},
    {"group_concat(x, ', ')", "the texts of a group, joined"},
    {"coalesce(x, y)", "the first that is not NULL"},
    {"ifnull(x, y)", "x, or y where x is NULL"},
    {"iif(condition, x, y)", "x where the condition holds, otherwise y"},
    {"nullif(x, y)", "NULL where both are equal, otherwise x"},
    {"abs(x)", "the absolute value"},
    {"round(x, digits)", "rounded"},
    {"length(text)", "length in characters"},
    {"lower(text)", "in lower case"},
    {"upper(text)", "in upper case"},
    {"substr(text, from, length)", "part of a text, counted from 1"},
    {"replace(text, x, y)", "with y in place of every x"},
    {"instr(text, x)", "position of x in the text, from 1; 0 if it is not there"},
    {"printf('%d', x)", "formatted by the pattern"},
}};

bool begins_with_word(std::string_view text, std::string_view word) {
    return text.size() >= word.size() &&
           std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return lower_case(a) == lower_case(b); });
}
bool is_equal(std::string_view a, std::string_view b) { return a.size() == b.size() && begins_with_word(a, b); }

std::size_t name_begin(std::string_view sql, std::size_t end) {
    while (end > 0 && is_sql_name_byte(sql[end - 1])) --end;
    return end;
}

/// True if the caret is in code, not inside a string, a quoted name or a comment.
bool is_sql_code(std::string_view sql, std::size_t caret) {
    // The line feed extends a string or comment that is still open at the caret to the end of `probe`.
    const std::string_view before = sql.substr(0, caret);
    const std::string probe = std::string(before) + '\n';
    for (std::size_t at = 0; at < before.size();) {
        const std::size_t end = std::max(past_sql_comment(probe, at), past_sql_quoted(probe, at));
        if (end >= probe.size() && end > at) return false;
        at = std::max(end, at + 1);
    }
    return true;
}

/// Returns the words of the statement around the caret, without the word that ends at the caret.
std::vector<std::string_view> words_around(std::string_view sql, std::size_t caret, std::size_t word_begin) {
    const SqlSpan span = statement_at(sql, caret);
    std::vector<std::string_view> words;
    for (std::size_t at = span.begin; at < span.end;) {
        const std::size_t end = past_name(sql, at);
        if (end > at && at != word_begin) words.push_back(sql.substr(at, end - at));
        at = std::max(end, at + 1);
    }
    return words;
}

const sqlite::TableDoc* table_called(std::span<const sqlite::TableDoc> schema, std::string_view name) {
    const auto found =
        std::ranges::find_if(schema, [&](const sqlite::TableDoc& table) { return is_equal(table.name, name); });
    return found == schema.end() ? nullptr : &*found;
}

/// Returns the table that a qualifier refers to: the table of that name, or the one it is an alias of, as in "FROM
/// allocations AS a".
const sqlite::TableDoc* table_meant(std::span<const sqlite::TableDoc> schema, const std::vector<std::string_view>& words,
                                    std::string_view qualifier) {
    if (const sqlite::TableDoc* table = table_called(schema, qualifier)) return table;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (!is_equal(words[i], qualifier)) continue;
        const bool has_as = is_equal(words[i - 1], "as") && i >= 2;
        if (const sqlite::TableDoc* table = table_called(schema, words[i - (has_as ? 2 : 1)])) return table;
    }
    return nullptr;
}

class Collector {
public:
    Collector(std::string_view word, std::size_t max_count) : word_(word), max_count_(max_count) {}

    void offer(std::string_view text, std::string kind, std::string_view doc) {
        if (!begins_with_word(text, word_)) return;
        is_whole_ = is_whole_ || is_equal(text, word_);
        const bool is_there = std::ranges::find(names_, text, &SqlName::text) != names_.end();
        if (!is_there && names_.size() < max_count_)
            names_.push_back({std::string(text), std::move(kind), std::string(doc)});
    }
    void offer_columns(const sqlite::TableDoc& table) {
        for (const ColumnDoc& column : table.columns)
            offer(column.name, "column of " + table.name + ", " + column.type, column.text);
    }
    std::string_view word() const { return word_; }
    bool is_whole() const { return is_whole_; }
    std::vector<SqlName> take() { return std::move(names_); }

private:
    std::string_view word_;
    std::size_t max_count_;
    bool is_whole_ = false;
    std::vector<SqlName> names_;
};

/// Offers the SQL functions, unless the word is a keyword: a user who writes NULL does not want nullif().
void offer_functions(Collector& collector) {
    if (is_sql_keyword(collector.word())) return;
    for (const FunctionDoc& function : sql_functions()) collector.offer(function.usage, "function", function.text);
}

void offer_all(Collector& collector, std::span<const sqlite::TableDoc> schema, const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) {
        if (const sqlite::TableDoc* table = table_called(schema, word)) collector.offer_columns(*table);
    }
    for (const sqlite::TableDoc& table : schema) {
        if (!table.is_empty) collector.offer(table.name, "table", table.text);
    }
    offer_functions(collector);
}

/// Offers the tables of one file in a joint database, after the qualifier "a" or "b".
void offer_tables_of(Collector& collector, std::span<const sqlite::TableDoc> schema, std::string_view qualifier) {
    const std::string prefix = "b.";
    for (const sqlite::TableDoc& table : schema) {
        const bool is_of_b = !table.is_file_table && is_equal(table.schema, "b");
        if (is_of_b && (is_equal(qualifier, "a") || is_equal(qualifier, "b")))
            collector.offer(std::string_view(table.name).substr(prefix.size()), "table", table.text);
    }
}

/// Offers completions for the word from `word_begin` to `caret`.
void offer_at(Collector& collector, std::string_view sql, std::size_t word_begin, std::size_t caret,
              std::span<const sqlite::TableDoc> schema, std::span<const QueryParameter> parameters) {
    const char before = word_begin > 0 ? sql[word_begin - 1] : ' ';
    const std::vector<std::string_view> words = words_around(sql, caret, word_begin);
    if (before == ':') {
        for (const QueryParameter& each : parameters)
            collector.offer(std::string_view(each.name).substr(1), "parameter", "what the window shows");
    } else if (before == '.') {
        const std::size_t dot = word_begin - 1;
        const std::size_t begin = name_begin(sql, dot);
        if (const sqlite::TableDoc* table = table_meant(schema, words, sql.substr(begin, dot - begin)))
            collector.offer_columns(*table);
        else
            offer_tables_of(collector, schema, sql.substr(begin, dot - begin));
    } else if (word_begin < caret) {
        offer_all(collector, schema, words);
    }
}

}  // namespace

std::vector<FunctionDoc> sql_functions() {
    std::vector<FunctionDoc> all(function_docs().begin(), function_docs().end());
    for (const auto& [usage, text] : k_sqlite_functions) all.push_back({usage, text});
    return all;
}

SqlCompletion complete_sql(std::string_view sql, std::size_t caret, std::span<const sqlite::TableDoc> schema,
                           std::span<const QueryParameter> parameters, std::size_t max_count) {
    caret = std::min(caret, sql.size());
    SqlCompletion completion{name_begin(sql, caret), {}};
    if (!is_sql_code(sql, caret)) return completion;
    const std::string_view word = sql.substr(completion.word_begin, caret - completion.word_begin);
    Collector collector(word, max_count);
    offer_at(collector, sql, completion.word_begin, caret, schema, parameters);
    if (!collector.is_whole()) completion.names = collector.take();
    return completion;
}

std::optional<SqlName> sql_name_at(std::string_view sql, std::size_t caret, std::span<const sqlite::TableDoc> schema) {
    caret = std::min(caret, sql.size());
    if (caret > 0 && sql[caret - 1] == '(') --caret;
    if (!is_sql_code(sql, caret)) return std::nullopt;
    const std::size_t begin = name_begin(sql, caret);
    const std::size_t end = past_name(sql, caret);
    if (begin == end) return std::nullopt;
    const std::string_view word = sql.substr(begin, end - begin);
    Collector collector(word, std::string_view::npos);
    offer_at(collector, sql, begin, end, schema, {});
    for (const SqlName& name : collector.take()) {
        if (is_equal(std::string_view(name.text).substr(0, name.text.find('(')), word)) return name;
    }
    return std::nullopt;
}

namespace {

/// Removes the quotes around a text; a doubled quote becomes a single one.
std::string unquoted(std::string_view text) {
    std::string inner;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        inner += text[i];
        if (text[i] == '\'' && text[i + 1] == '\'' && i + 2 < text.size()) ++i;
    }
    return inner;
}

}  // namespace

Cell typed_value(std::string_view typed) {
    const std::string_view text = trimmed(typed);
    if (const auto integer = parse_number<std::int64_t>(text)) return *integer;
    if (const auto real = parse_number<double>(text)) return *real;
    if (lower_case(text) == "null") return {};
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') return unquoted(text);
    return std::string(text);
}

std::vector<QueryParameter> with_given(std::span<const QueryParameter> shown, const GivenParameters& given) {
    std::vector<QueryParameter> all(shown.begin(), shown.end());
    for (const auto& [name, typed] : given) {
        if (trimmed(typed).empty()) continue;
        const auto known = std::ranges::find(all, name, &QueryParameter::name);
        if (known != all.end())
            known->value = typed_value(typed);
        else
            all.push_back({name, typed_value(typed)});
    }
    return all;
}

std::size_t past_character(std::string_view sql, std::size_t at) {
    do ++at;
    while (at < sql.size() && !begins_character(sql[at]));
    return at;
}

namespace {

/// Returns the end of the first wrapped line of a text without line feeds: after the last blank that fits, else after the
/// last character that fits. The line has at least one character.
std::size_t first_line_end(std::string_view text, const FitsInLine& fits) {
    const std::size_t fitting = fits(text);
    if (fitting >= text.size()) return text.size();
    if (fitting == 0) return past_character(text, 0);
    const std::size_t blank = text.rfind(' ', fitting);
    return blank != text.npos && blank > 0 ? blank + 1 : fitting;
}

}  // namespace

std::vector<SqlSpan> wrap_sql(std::string_view sql, const FitsInLine& fits) {
    std::vector<SqlSpan> lines;
    for (std::size_t begin = 0;;) {
        const std::size_t feed = std::min(sql.find('\n', begin), sql.size());
        const std::size_t end = begin + first_line_end(sql.substr(begin, feed - begin), fits);
        lines.push_back({begin, end});
        if (end < feed) {
            begin = end;
        } else if (feed < sql.size()) {
            begin = feed + 1;
        } else {
            return lines;
        }
    }
}

std::size_t line_of_byte(const std::vector<SqlSpan>& lines, std::size_t byte) {
    const auto behind = std::ranges::upper_bound(lines, byte, {}, &SqlSpan::begin);
    return behind == lines.begin() ? 0 : static_cast<std::size_t>(behind - lines.begin()) - 1;
}

std::size_t last_caret_of(const std::vector<SqlSpan>& lines, std::size_t line, std::string_view sql) {
    const auto& [begin, end] = lines[line];
    const bool goes_on = line + 1 < lines.size() && lines[line + 1].begin == end;
    if (!goes_on) return end;
    std::size_t last = end - 1;
    while (last > begin && !begins_character(sql[last])) --last;
    return last;
}

SqlSpan word_around(std::string_view sql, std::size_t byte) {
    if (byte >= sql.size() || !is_sql_name_byte(sql[byte])) {
        const bool is_behind_word = byte > 0 && is_sql_name_byte(sql[byte - 1]);
        if (!is_behind_word) return {byte, byte < sql.size() ? byte + 1 : byte};
    }
    return {name_begin(sql, byte), past_name(sql, byte)};
}

}  // namespace snapviewer::query
