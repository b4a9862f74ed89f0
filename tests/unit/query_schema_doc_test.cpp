#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "core/analysis/findings/analyses.h"
#include "core/document/document.h"
#include "core/fleet/fleet.h"
#include "core/fleet/series/series.h"
#include "core/query/catalog.h"
#include "core/query/database.h"

// To regenerate the tables in the documentation after a change of the schema, run: SNAPVIEWER_WRITE_DOCS=1 unit_tests
// --gtest_filter=QuerySchemaDoc.*

namespace snapviewer::test {
namespace {

std::string table_markdown(const sqlite::TableDoc& table) {
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

/// Describes every table and function of docs/sql.md. `added` are the tables and columns that are not part of the file
/// itself, such as the analyses.
std::string schema_markdown(const query::AddedTables& added) {
    const query::CatalogSource no_file(std::make_shared<Snapshot>(), {});
    std::string text = "\n## Tables\n";
    for (const sqlite::TableDoc& table : query::describe(query::make_tables(no_file, added.columns)))
        text += table_markdown(table);
    for (const TableFunction& table : added.tables) {
        if (table.parameters.empty()) text += table_markdown({table.name, table.doc, table.columns});
    }
    text += "\n## Table-valued functions\n\nThese tables take arguments: `SELECT * FROM layout(17)`.\n";
    for (const TableFunction& table : added.tables) {
        if (!table.parameters.empty()) text += function_markdown(table);
    }
    text += "\n## Functions\n\nIn addition to those of SQLite:\n\n| function | result |\n| --- | --- |\n";
    for (const query::FunctionDoc& function : query::function_docs())
        text += fmt::format("| `{}` | {} |\n", function.usage, function.text);
    return text;
}

std::string tables_markdown(std::span<const sqlite::TableDoc> tables) {
    std::string text;
    for (const sqlite::TableDoc& table : tables) text += table_markdown({table.name, table.text + ".", table.columns});
    return text;
}

/// Checks the part of a page of docs/ between two comments, or writes it if SNAPVIEWER_WRITE_DOCS is set.
void expect_part(const char* page, const std::string& part) {
    const std::filesystem::path path = std::filesystem::path(SNAPVIEWER_SOURCE_DIR) / "docs" / page;
    std::ifstream file(path, std::ios::binary);
    const std::string found{std::istreambuf_iterator(file), {}};
    const std::string before = "<!-- The unit test QuerySchemaDoc writes the tables. -->\n";
    const std::string after = "<!-- end of the tables -->\n";
    const std::size_t begin = found.find(before);
    const std::size_t end = found.find(after, begin);
    ASSERT_NE(end, std::string::npos) << page;
    std::string wanted = found;
    wanted.replace(begin, end - begin, before + part + "\n");
    if (std::getenv("SNAPVIEWER_WRITE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << wanted;
    EXPECT_EQ(found, wanted);
}

TEST(QuerySchemaDoc, IsUpToDate) {
    expect_part("sql.md", schema_markdown(analysis_tables(std::make_shared<const findings::Analyses>(
                              Snapshot(), std::vector<std::shared_ptr<const Timeline>>()))));
    expect_part("fleets.md", tables_markdown(fleet::fleet_tables()));
    expect_part("long-jobs.md", tables_markdown(series::series_tables()));
}

}  // namespace
}  // namespace snapviewer::test
