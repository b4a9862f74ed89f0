#include "app/features/query/sql_completion.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/features/query/sql_statements.h"
#include "app/features/query/sql_tokens.h"
#include "core/base/text.h"

namespace snapviewer {
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

/// Returns the words of the statement around the caret, without the word that ends at the caret.
std::vector<std::string_view> words_around(std::string_view sql, std::size_t caret, std::size_t word_begin) {
    const SqlSpan span = statement_at(sql, caret);
    std::vector<std::string_view> words;
    for (std::size_t at = span.begin; at < span.end;) {
        std::size_t end = at;
        while (end < span.end && is_sql_name_byte(sql[end])) ++end;
        if (end > at && at != word_begin) words.push_back(sql.substr(at, end - at));
        at = std::max(end, at + 1);
    }
    return words;
}

const TableDoc* table_called(std::span<const TableDoc> schema, std::string_view name) {
    const auto found = std::ranges::find_if(schema, [&](const TableDoc& table) { return is_equal(table.name, name); });
    return found == schema.end() ? nullptr : &*found;
}

/// Returns the table that a qualifier refers to: the table of that name, or the one it is an alias of, as in "FROM
/// allocations AS a".
const TableDoc* table_meant(std::span<const TableDoc> schema, const std::vector<std::string_view>& words,
                            std::string_view qualifier) {
    if (const TableDoc* table = table_called(schema, qualifier)) return table;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (!is_equal(words[i], qualifier)) continue;
        const bool has_as = is_equal(words[i - 1], "as") && i >= 2;
        if (const TableDoc* table = table_called(schema, words[i - (has_as ? 2 : 1)])) return table;
    }
    return nullptr;
}

class Collector {
public:
    Collector(std::string_view word, std::size_t most) : word_(word), most_(most) {}

    void offer(std::string_view text, std::string kind, std::string_view doc) {
        if (!begins_with_word(text, word_)) return;
        is_whole_ = is_whole_ || is_equal(text, word_);
        const bool is_there = std::ranges::find(names_, text, &SqlName::text) != names_.end();
        if (!is_there && names_.size() < most_) names_.push_back({std::string(text), std::move(kind), std::string(doc)});
    }
    void offer_columns(const TableDoc& table) {
        for (const ColumnDoc& column : table.columns)
            offer(column.name, "column of " + table.name + ", " + column.type, column.text);
    }
    std::string_view word() const { return word_; }
    bool is_whole() const { return is_whole_; }
    std::vector<SqlName> take() { return std::move(names_); }

private:
    std::string_view word_;
    std::size_t most_;
    bool is_whole_ = false;
    std::vector<SqlName> names_;
};

/// Offers the SQL functions, unless the word is a keyword: a user who writes NULL does not want nullif().
void offer_functions(Collector& collector) {
    if (is_sql_keyword(collector.word())) return;
    for (const FunctionDoc& function : sql_functions()) collector.offer(function.usage, "function", function.text);
}

void offer_all(Collector& collector, std::span<const TableDoc> schema, const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) {
        if (const TableDoc* table = table_called(schema, word)) collector.offer_columns(*table);
    }
    for (const TableDoc& table : schema) {
        if (!table.is_empty) collector.offer(table.name, "table", table.text);
    }
    offer_functions(collector);
}

/// Offers the tables of one file in a joint database, after the qualifier "a" or "b".
void offer_tables_of(Collector& collector, std::span<const TableDoc> schema, std::string_view qualifier) {
    const std::string prefix = "b.";
    for (const TableDoc& table : schema) {
        const bool is_of_b = !table.is_of_file && is_equal(table.schema, "b");
        if (is_of_b && (is_equal(qualifier, "a") || is_equal(qualifier, "b")))
            collector.offer(std::string_view(table.name).substr(prefix.size()), "table", table.text);
    }
}

/// Offers completions for the word from `word_begin` to `caret`.
void offer_at(Collector& collector, std::string_view sql, std::size_t word_begin, std::size_t caret,
              std::span<const TableDoc> schema, std::span<const QueryParameter> parameters) {
    const char before = word_begin > 0 ? sql[word_begin - 1] : ' ';
    const std::vector<std::string_view> words = words_around(sql, caret, word_begin);
    if (before == ':') {
        for (const QueryParameter& each : parameters)
            collector.offer(std::string_view(each.name).substr(1), "parameter", "what the window shows");
    } else if (before == '.') {
        const std::size_t dot = word_begin - 1;
        const std::size_t begin = name_begin(sql, dot);
        if (const TableDoc* table = table_meant(schema, words, sql.substr(begin, dot - begin)))
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

SqlCompletion complete_sql(std::string_view sql, std::size_t caret, std::span<const TableDoc> schema,
                           std::span<const QueryParameter> parameters, std::size_t most) {
    caret = std::min(caret, sql.size());
    SqlCompletion completion{name_begin(sql, caret), {}};
    if (!is_sql_code(sql, caret)) return completion;
    const std::string_view word = sql.substr(completion.word_begin, caret - completion.word_begin);
    Collector collector(word, most);
    offer_at(collector, sql, completion.word_begin, caret, schema, parameters);
    if (!collector.is_whole()) completion.names = collector.take();
    return completion;
}

std::optional<SqlName> sql_name_at(std::string_view sql, std::size_t caret, std::span<const TableDoc> schema) {
    caret = std::min(caret, sql.size());
    if (caret > 0 && sql[caret - 1] == '(') --caret;
    if (!is_sql_code(sql, caret)) return std::nullopt;
    const std::size_t begin = name_begin(sql, caret);
    std::size_t end = caret;
    while (end < sql.size() && is_sql_name_byte(sql[end])) ++end;
    if (begin == end) return std::nullopt;
    const std::string_view word = sql.substr(begin, end - begin);
    Collector collector(word, std::string_view::npos);
    offer_at(collector, sql, begin, end, schema, {});
    for (const SqlName& name : collector.take()) {
        if (is_equal(std::string_view(name.text).substr(0, name.text.find('(')), word)) return name;
    }
    return std::nullopt;
}

}  // namespace snapviewer
