#include <gtest/gtest.h>

#include <limits>

#include "core/query/database.h"

namespace snapviewer::test {
namespace {

query::QueryResult difficult_values() {
    return {.columns = {"id", "id", "text"},
            .cells = {std::int64_t{9007199254740993}, 0.5, std::string("a,\"b\"\n\tc"), std::monostate{},
                      std::numeric_limits<double>::infinity(), std::string("\xff\xc3\xa4")},
            .truncated = false,
            .elapsed_ms = 0};
}

TEST(QueryFormat, Csv) {
    EXPECT_EQ(query::format_result(difficult_values(), query::TableFormat::csv),
              "id,id,text\r\n9007199254740993,0.5,\"a,\"\"b\"\"\n\tc\"\r\n,Inf,\xef\xbf\xbd\xc3\xa4\r\n");
    const query::QueryResult empties{
        .columns = {"a", "b"}, .cells = {std::string(), std::monostate{}}, .truncated = false, .elapsed_ms = 0};
    EXPECT_EQ(query::format_result(empties, query::TableFormat::csv), "a,b\r\n\"\",\r\n");
}

TEST(QueryFormat, CsvForSpreadsheets) {
    std::string out;
    const auto writer = query::make_csv_writer(
        [&out](std::string_view text) {
            out += text;
            return true;
        },
        query::CsvTexts::safe);
    const std::vector<std::string> columns = {"=cmd", "a"};
    writer->begin(columns);
    for (const char* text : {"=1+1", "+1", "-1", "@sum", "\tx", "\rx", "'=1", "a=b", ""}) {
        const std::vector<Cell> cells = {std::string(text), std::int64_t{-5}};
        writer->row(cells);
    }
    writer->end();
    EXPECT_EQ(
        out,
        "'=cmd,a\r\n'=1+1,-5\r\n'+1,-5\r\n'-1,-5\r\n'@sum,-5\r\n'\tx,-5\r\n\"'\rx\",-5\r\n'=1,-5\r\na=b,-5\r\n\"\",-5\r\n");
}

TEST(QueryFormat, Json) {
    EXPECT_EQ(query::format_result(difficult_values(), query::TableFormat::json),
              "[\n{\"id\": 9007199254740993, \"id_2\": 0.5, \"text\": \"a,\\\"b\\\"\\n\\tc\"},\n"
              "{\"id\": null, \"id_2\": null, \"text\": \"\xef\xbf\xbd\xc3\xa4\"}\n]\n");
    EXPECT_EQ(
        query::format_result({.columns = {"a"}, .cells = {}, .truncated = false, .elapsed_ms = 0}, query::TableFormat::json),
        "[]\n");
    const query::QueryResult whole{.columns = {"a"}, .cells = {2.0}, .truncated = false, .elapsed_ms = 0};
    EXPECT_EQ(query::format_result(whole, query::TableFormat::json), "[\n{\"a\": 2.0}\n]\n");
}

TEST(QueryFormat, Table) {
    const query::QueryResult result{.columns = {"name", "size"},
                                    .cells = {std::string("\xc3\xa4"), std::int64_t{5}, std::string("long\nname"),
                                              std::int64_t{1234567}, std::monostate{}, std::monostate{}},
                                    .truncated = false,
                                    .elapsed_ms = 0};
    EXPECT_EQ(query::format_result(result, query::TableFormat::table),
              "name           size\n"
              "----------  -------\n"
              "\xc3\xa4                 5\n"
              "long\\nname  1234567\n"
              "\n");
}

TEST(QueryFormat, TableCutsLongTexts) {
    const query::QueryResult result{.columns = {"a"}, .cells = {std::string(500, 'x')}, .truncated = false, .elapsed_ms = 0};
    const std::string text = query::format_result(result, query::TableFormat::table);
    EXPECT_NE(text.find("x\u2026\n"), std::string::npos);
    EXPECT_LT(text.size(), 300U);
}

}  // namespace
}  // namespace snapviewer::test
