// Runs SQL on a small fixed document, under limits. Mutations change whole words, and insert names of tables, columns and
// functions.
#include <array>
#include <cctype>

#include "tests/fuzz/fuzzing.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::fuzz {
namespace {

constexpr query::QueryLimits k_limits{
    .max_rows = 200, .max_seconds = 1, .max_bytes = 1U << 20, .max_memory_bytes = 32U << 20};
constexpr double k_grace = 4;  // how many times its time a query may take, under sanitizers and beside others

std::shared_ptr<query::Database> make_document_database() {
    test::TraceBuilder trace;
    const Frame inner{trace.text("a.py"), trace.text("f"), 7}, outer{trace.text("b.py"), trace.text("g"), 8};
    trace.alloc(0x1000, 100).with_stack({inner, outer}).alloc(0x2000, 200).with_stack({outer});
    trace.with_metadata({trace.text("step 1"), trace.text("N/A"), {}, {}, {}})
        .free(0x1000, 100)
        .annotation("## forward ##", "START", 1'000'020);
    trace.event(Action::oom, 7, 999).alloc(0x3000, 300);
    trace.segment(0x1000, {{4096, BlockState::inactive}, {512, BlockState::active_allocated}});
    const std::shared_ptr<const Snapshot> snapshot = trace.build();
    std::vector<std::shared_ptr<const Timeline>> timelines{std::make_shared<const Timeline>(test::lay_out(snapshot))};
    return std::move(query::Database::create(snapshot, std::move(timelines)).value());
}

query::Database& database() {
    static const std::shared_ptr<query::Database> one = make_document_database();
    return *one;
}

std::int64_t event_count() {
    const Result<query::QueryResult> count = database().run("SELECT count(*) FROM events", {});
    require(count.ok(), "a query after another one runs");
    return std::get<std::int64_t>(count->cell(0, 0));
}

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

std::vector<std::string> split_sql(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        std::size_t size = 1;
        while (size < text.size() && is_of_word(text[0]) && is_of_word(text[size])) ++size;
        if (text[0] == '\'') size = std::min(text.size(), std::max(text.find('\'', 1), text.find('\'', 1) + 1));
        words.emplace_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return words;
}

std::vector<std::string> make_names() {
    std::vector<std::string> names;
    for (const sqlite::TableDoc& table : database().schema()) {
        names.push_back(table.name);
        for (const ColumnDoc& column : table.columns) names.push_back(column.name);
    }
    return names;
}

std::string make_sql(Random& random) {
    constexpr std::array k_words = {"SELECT",
                                    "FROM",
                                    "WHERE",
                                    "GROUP BY",
                                    "ORDER BY",
                                    "LIMIT",
                                    "OFFSET",
                                    "HAVING",
                                    "JOIN",
                                    "LEFT JOIN",
                                    "FULL JOIN",
                                    "CROSS JOIN",
                                    "USING(id)",
                                    "ON",
                                    "UNION ALL",
                                    "EXCEPT",
                                    "INTERSECT",
                                    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)",
                                    "VALUES (1)",
                                    "CASE WHEN 1 THEN 2 END",
                                    "IN",
                                    "BETWEEN",
                                    "IS NOT",
                                    "NULL",
                                    "LIKE",
                                    "GLOB",
                                    "ESCAPE",
                                    "COLLATE NOCASE",
                                    "DISTINCT",
                                    "*",
                                    "(",
                                    ")",
                                    ",",
                                    "=",
                                    "<",
                                    ">=",
                                    "||",
                                    "<<",
                                    "%",
                                    "->>",
                                    "AS a",
                                    "AND",
                                    "OR",
                                    "NOT",
                                    "EXISTS",
                                    "rowid",
                                    "DESC",
                                    "CAST(x AS TEXT)",
                                    "OVER ()",
                                    "OVER (PARTITION BY size ORDER BY id)",
                                    "PRAGMA",
                                    "EXPLAIN",
                                    "ATTACH",
                                    "CREATE TEMP TABLE t AS",
                                    "DELETE FROM",
                                    "count(*)",
                                    "sum(",
                                    "max(",
                                    "min(",
                                    "group_concat(",
                                    "printf('%9999d',",
                                    "instr(",
                                    "replace(",
                                    "substr(",
                                    "hex(",
                                    "zeroblob(",
                                    "randomblob(",
                                    "json_each(",
                                    "json(",
                                    "abs(",
                                    "round(",
                                    "char(",
                                    "unicode(",
                                    "length(",
                                    "like(",
                                    "quote(",
                                    "date(",
                                    "total(",
                                    "lag(",
                                    "ntile(",
                                    "generate_series(",
                                    "'%a%'",
                                    "''",
                                    "x'00'",
                                    "'['",
                                    "sqlite_schema",
                                    "temp.",
                                    "main.",
                                    "load_extension('x')",
                                    "writefile('x', 1)",
                                    "readfile('x')",
                                    "pragma_table_info(",
                                    "1e308",
                                    ";",
                                    "--",
                                    "/*"};
    static const std::vector<std::string> names = make_names();
    switch (below(random, 5)) {
        case 0: return std::to_string(odd_number(random)) + " ";
        case 1:
        case 2: return " " + names[below(random, names.size())] + " ";
        default: return std::string(" ") + k_words[below(random, k_words.size())] + " ";
    }
}

}  // namespace
}  // namespace snapviewer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer;
    using namespace snapviewer::fuzz;
    static const std::int64_t events = event_count();
    const Result<query::QueryResult> result = database().run(as_text(data, size), k_limits);
    if (result) {
        require(result->row_count() <= k_limits.max_rows, "no more rows than allowed");
        require(result->elapsed_ms <= k_grace * 1000 * k_limits.max_seconds, "no more time than allowed");
        for (const query::TableFormat format :
             {query::TableFormat::table, query::TableFormat::csv, query::TableFormat::json})
            (void)query::format_result(*result, format);
    } else {
        require(!result.error().text().empty(), "an error has words");
        require(result.error().offset.value_or(0) <= size, "an error lies in the statement");
    }
    require(event_count() == events, "nothing changes a document");
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
    using namespace snapviewer::fuzz;
    return mutate_words(data, size, max_size, seed, {split_sql, make_sql});
}
