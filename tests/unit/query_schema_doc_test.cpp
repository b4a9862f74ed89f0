#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/analysis/findings/analyses.h"
#include "core/document/document.h"
#include "core/fleet/fleet_database.h"
#include "core/fleet/series/series_report.h"
#include "core/query/catalog.h"
#include "core/query/functions.h"

// To regenerate the tables in the documentation after a change of the schema, run: SNAPVIEWER_WRITE_DOCS=1 unit_tests
// --gtest_filter=QuerySchemaDoc.*

namespace snapviewer::test {
namespace {

constexpr std::string_view k_introduction = R"(# SQL

Every open file is an SQLite database: in the query pane of the window, and with
[`snapviewer query FILE SQL`](commands.md#queries). The tables are read in place from the loaded snapshot. It is
read-only: no statement writes, attaches another file or loads an extension. In the window, and for a table on the
command line, a query ends after 30 seconds or 100,000 rows; `--format csv` and `json` give every row.

Sizes are in bytes, times in microseconds, and NULL means unknown. Steps are the x axis of the picture: an alloc takes
one step, a free takes one, and three more while everything above slides down. Addresses and stream handles are unsigned
64-bit numbers; from 2^63 on SQLite shows them as negative, and `address()` as they are.

Comparisons with integers, `LIKE`, `GLOB` and `=` on texts, `ORDER BY` on one integer column and joins on `id` are fast;
`callstack LIKE '%x%'` looks at each distinct stack once, not at each allocation.

`snapviewer query A --compare B SQL`, and the window after a comparison, query two files together. Every table below,
including the table-valued functions (`b.layout(17)`), then exists as `a.NAME` for A and as `b.NAME` for B; without a
prefix it is A's. Tables of a profiler's own file exist for A only. The limits are the same.

)";

struct Example {
    std::string_view question;
    std::string_view sql;
};

constexpr std::array k_examples = {
    Example{
        "Alive at step 1000, largest first",
        "SELECT idx, human(size), callstack FROM allocs\nWHERE start_time <= 1000 AND end_time > 1000 ORDER BY size DESC"},
    Example{"Stack contains \"attention\"",
            "SELECT idx, size, start_time, end_time FROM allocs WHERE callstack LIKE '%attention%'"},
    Example{"The largest allocations", "SELECT * FROM allocs ORDER BY size DESC LIMIT 20"},
    Example{"What holds the memory at the peak, by stack",
            "SELECT human(sum(a.size)) AS held, count(*) AS allocations,\n"
            "       iif(a.origin = 'freed', 'allocated before the recording', (SELECT text FROM stacks WHERE id = "
            "a.stack_id)) AS stack\n"
            "FROM devices d JOIN allocations a ON a.device = d.device\n"
            "WHERE a.alloc_step <= d.peak_step AND (a.free_step IS NULL OR a.free_step > d.peak_step)\n"
            "GROUP BY iif(a.origin = 'freed', -1, a.stack_id) ORDER BY sum(a.size) DESC LIMIT 20"},
    Example{
        "Never freed, by stack",
        "SELECT human(sum(size)) AS held, count(*) AS allocations, (SELECT text FROM stacks WHERE id = stack_id) AS stack\n"
        "FROM allocations WHERE free_step IS NULL GROUP BY stack_id ORDER BY sum(size) DESC"},
    Example{"Two files (`snapviewer query A --compare B`): what is held in B by stacks that hold nothing in A",
            "SELECT human(sum(x.size)) AS held, count(*) AS allocations, s.top_frame\n"
            "FROM b.devices d JOIN b.allocations x ON x.device = d.device JOIN b.stacks s ON s.id = x.stack_id\n"
            "WHERE x.alloc_step <= d.peak_step AND (x.free_step IS NULL OR x.free_step > d.peak_step)\n"
            "  AND s.key NOT IN (SELECT t.key FROM a.allocations y JOIN a.stacks t ON t.id = y.stack_id)\n"
            "GROUP BY s.key ORDER BY sum(x.size) DESC"},
    Example{"Out of memory: what was requested, what was free, and the largest hole",
            "SELECT device, human(bytes) AS wanted, human(device_free) AS left, human(unused), human(largest_hole) FROM "
            "markers\n"
            "WHERE kind = 'oom'"},
    Example{
        "Fragmentation by pool",
        "SELECT device, pool, human(reserved), human(hole_bytes), human(largest_hole) FROM pools ORDER BY hole_bytes DESC"},
    Example{
        "What each profiler step left behind",
        "SELECT r.name, human(total(a.size)) FROM ranges r LEFT JOIN allocations a ON a.device = r.device AND a.origin = "
        "'alloc'\n"
        "AND a.alloc_step >= r.start_step AND a.alloc_step < r.end_step AND (a.free_step IS NULL OR a.free_step > "
        "r.end_step)\n"
        "WHERE r.name LIKE 'ProfilerStep#%' AND r.start_step IS NOT NULL AND r.end_step IS NOT NULL GROUP BY r.id"},
    Example{"Memory reserved but not in use, over time",
            "SELECT step, human(allocated), human(reserved), human(reserved - allocated) FROM totals WHERE device = 0"},
    Example{"Which function allocates most (by innermost frame)",
            "SELECT f.function, human(sum(a.size)) FROM allocations a\n"
            "JOIN stack_frames sf ON sf.stack_id = a.stack_id AND sf.depth = 0 JOIN frames f ON f.id = sf.frame_id\n"
            "WHERE a.origin <> 'freed' GROUP BY f.function ORDER BY sum(a.size) DESC LIMIT 20"},
};

std::string table_markdown(const TableDoc& table) {
    std::string text =
        fmt::format("\n### {}\n\n{}\n\n| column | type | content |\n| --- | --- | --- |\n", table.name, table.text);
    for (const ColumnDoc& column : table.columns)
        text += fmt::format("| {} | {} | {} |\n", column.name, column.type, column.text);
    return text;
}

/// Describes a table function: its name with the parameters, and after its sentence what each parameter means.
std::string function_markdown(const TableFunction& table) {
    std::string names;
    std::string docs;
    for (const ColumnDoc& parameter : table.parameters) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", parameter.name);
        docs += fmt::format(" `{}`: {}.", parameter.name, parameter.text);
    }
    return table_markdown({fmt::format("{}({})", table.name, names), table.doc + docs, table.columns});
}

/// Returns the text of docs/sql.md: every table, column and function, from the description that creates the tables. `added`
/// are the tables and columns that are not part of the file itself, such as the analyses.
std::string schema_markdown(const AddedTables& added) {
    const CatalogSource no_file(std::make_shared<Snapshot>(), {});
    std::string text(k_introduction);
    text += "## Common questions\n";
    for (const Example& example : k_examples)
        text += fmt::format("\n{}:\n\n```sql\n{};\n```\n", example.question, example.sql);
    text += "\n## Tables\n";
    for (const TableDoc& table : describe(make_tables(no_file, added.columns))) text += table_markdown(table);
    for (const TableFunction& table : added.tables) {
        if (table.parameters.empty()) text += table_markdown({table.name, table.doc, table.columns});
    }
    text += "\n## Table-valued functions\n\nThese tables take arguments: `SELECT * FROM layout(17)`.\n";
    for (const TableFunction& table : added.tables) {
        if (!table.parameters.empty()) text += function_markdown(table);
    }
    text += "\n## Functions\n\nIn addition to those of SQLite:\n\n| function | result |\n| --- | --- |\n";
    for (const FunctionDoc& function : function_docs())
        text += fmt::format("| `{}` | {} |\n", function.usage, function.text);
    return text;
}

std::filesystem::path page_path(const char* page) { return std::filesystem::path(SNAPVIEWER_SOURCE_DIR) / "docs" / page; }

std::string read_page(const char* page) {
    std::ifstream file(page_path(page), std::ios::binary);
    return std::string(std::istreambuf_iterator(file), {});
}

void expect_page(const char* page, const std::string& wanted) {
    if (std::getenv("SNAPVIEWER_WRITE_DOCS") != nullptr) std::ofstream(page_path(page), std::ios::binary) << wanted;
    EXPECT_EQ(read_page(page), wanted);
}

/// Checks the part of a page between two comments.
void expect_tables_in(const char* page, std::span<const TableDoc> tables) {
    const std::string before = "<!-- The unit test QuerySchemaDoc writes the tables. -->\n";
    const std::string after = "<!-- end of the tables -->\n";
    std::string text = before;
    for (const TableDoc& table : tables) text += table_markdown({table.name, table.text + ".", table.columns});
    std::string wanted = read_page(page);
    const std::size_t begin = wanted.find(before);
    const std::size_t end = wanted.find(after, begin);
    ASSERT_NE(end, std::string::npos) << page;
    expect_page(page, wanted.replace(begin, end - begin, text + "\n"));
}

TEST(QuerySchemaDoc, IsUpToDate) {
    expect_page("sql.md", schema_markdown(analysis_tables(std::make_shared<const Analyses>(
                              Snapshot(), std::vector<std::shared_ptr<const Timeline>>()))));
}

TEST(QuerySchemaDoc, OfFleetsAndSeriesIsUpToDate) {
    expect_tables_in("fleets.md", fleet_tables());
    expect_tables_in("long-jobs.md", series_tables());
}

}  // namespace
}  // namespace snapviewer::test
