#include "app/ui/result_grid.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

using Rows = std::vector<std::uint32_t>;

query::QueryResult mixed_column() {
    query::QueryResult result;
    result.columns = {"v"};
    result.cells = {std::string("b"), std::int64_t{10}, std::monostate{}, 9.5,
                    std::int64_t{9},  std::string("B"), std::int64_t{10}};
    return result;
}

TEST(SortedRowsTest, NullThenNumbersByValueThenText) {
    const query::QueryResult result = mixed_column();
    EXPECT_EQ(sorted_rows(result, 0, false), (Rows{2, 4, 3, 1, 6, 5, 0}));
    EXPECT_EQ(sorted_rows(result, 0, true), (Rows{0, 5, 1, 6, 3, 4, 2}));
    EXPECT_EQ(unsorted_rows(result), (Rows{0, 1, 2, 3, 4, 5, 6}));
}

TEST(SortedRowsTest, TellsLargeIntegersApart) {
    query::QueryResult result;
    result.columns = {"address"};
    result.cells = {(std::int64_t{1} << 60) + 1, std::int64_t{1} << 60};
    EXPECT_EQ(sorted_rows(result, 0, false), (Rows{1, 0}));
}

TEST(CopyTest, TsvKeepsOneLineARow) {
    query::QueryResult result;
    result.columns = {"id", "stack"};
    result.cells = {std::int64_t{1}, std::string("a\tb\nc"), std::monostate{}, 0.5};
    EXPECT_EQ(row_as_tsv(result, 0), "1\ta b c");
    EXPECT_EQ(rows_as_tsv(result, {1, 0}), "id\tstack\nNULL\t0.5\n1\ta b c\n");
    const query::QueryResult turned = reordered(result, {1, 0});
    EXPECT_EQ(cell_text(turned.cell(1, 0)), "1");
    EXPECT_EQ(turned.row_count(), 2U);
}

TEST(CopyTest, WhatIsTooMuchForTheClipboardEndsWithAWholeRow) {
    query::QueryResult result;
    result.columns = {"stack"};
    result.cells.assign(40, std::string(1 << 20, 'x'));
    const Rows rows = rows_to_copy(result, unsorted_rows(result));
    EXPECT_EQ(rows.size(), 33U);  // 32 MiB, and the row that exceeds the limit
    EXPECT_EQ(rows.back(), 32U);
    result.cells.resize(20);
    EXPECT_EQ(rows_to_copy(result, unsorted_rows(result)), unsorted_rows(result));
}

TEST(FirstRowsTest, ShowsTheBeginningAndTellsWhatIsLeft) {
    EXPECT_EQ(first_rows("one\ntwo", 3, 10), "one\ntwo");
    EXPECT_EQ(first_rows("one\ntwo\nthree\nfour", 2, 10), "one\ntwo\n... and 10 more characters");
    EXPECT_EQ(first_rows("0123456789abcdefghij", 2, 10), "0123456789abcdefghij");
    EXPECT_EQ(first_rows("0123456789abcdefghijk", 2, 10), "0123456789abcdefghij\n... and 1 more characters");
    EXPECT_EQ(first_rows("a\n0123456789abcdefghij", 2, 10), "a\n0123456789\n... and 10 more characters");
    EXPECT_EQ(first_rows("\n\n\n\n", 2, 10), "\n\n... and 2 more characters");
    EXPECT_EQ(first_rows("12345678\xE5\x86\x85z", 1, 10), "12345678\n... and 2 more characters") << "no half a character";
}

TEST(OneLineTest, CutsAtLineEndsAndLimitsNeverWithinACharacter) {
    EXPECT_EQ(one_line("short", 10), "short");
    EXPECT_EQ(one_line("first\nsecond", 10), "first ...");
    EXPECT_EQ(one_line("0123456789", 4), "0123 ...");
    EXPECT_EQ(one_line("ab\xc3\xa4z", 3), "ab ...");
}

TEST(CellLineTest, ShowsTheFirstFrameWithAFile) {
    EXPECT_EQ(cell_line(std::string("??:0:alloc\n??:0:empty\nmodel.py:7:forward\ntrain.py:1:main"), 40),
              "... model.py:7:forward ...");
    EXPECT_EQ(cell_line(std::string("??:0:alloc\n??:0:empty"), 40), "??:0:alloc ...");
    EXPECT_EQ(cell_line(std::string("model.py:7:forward\n??:0:x"), 40), "model.py:7:forward ...");
    EXPECT_EQ(cell_line(std::int64_t{5}, 40), "5");
}

TEST(SizeColumnTest, GoesByTheLastWord) {
    for (const char* name : {"size", "bytes", "total_bytes", "requested_size", "allocated"})
        EXPECT_TRUE(is_size_column(name)) << name;
    for (const char* name : {"id", "sizes_seen", "count(*)", "step", ""}) EXPECT_FALSE(is_size_column(name)) << name;
}

TEST(RowTargetTest, OnlyIdsOfAllocationsCount) {
    query::QueryResult result;
    result.columns = {"size", "id"};
    result.cells = {std::int64_t{512}, std::int64_t{7}};
    const auto target_of = [&](const std::string& name, const query::ColumnOrigin& origin) {
        result.columns[1] = name;
        result.origins = {{"allocations", "size"}, origin};
        return row_target(result, 0);
    };
    EXPECT_EQ(target_of("id", {"allocations", "id"}).allocation_row, 7);
    EXPECT_EQ(target_of("victim", {"allocations", "id"}).allocation_row, 7) << "whatever it is called";
    EXPECT_EQ(target_of("x", {"blocks", "allocation_id"}).allocation_row, 7);
    EXPECT_FALSE(target_of("id", {"events", "id"}).allocation_row);
    EXPECT_FALSE(target_of("allocation_id", {"events", "id"}).allocation_row);
    EXPECT_FALSE(target_of("allocation_id", {"file.orders", "allocation_id"}).allocation_row) << "somebody else's";
    EXPECT_FALSE(target_of("id", {}).allocation_row) << "of whatever";
    EXPECT_EQ(target_of("allocation_id", {}).allocation_row, 7) << "computed and said to be one";
    EXPECT_EQ(target_of("n", {"allocs", "idx"}).allocs_index, 7);
    EXPECT_EQ(target_of("idx", {}).allocs_index, 7);
    EXPECT_FALSE(target_of("idx", {"file.allocs", "idx"}).allocs_index);
    result.cells[1] = std::string("7");
    EXPECT_FALSE(target_of("idx", {"allocs", "idx"}).allocs_index);
}

TEST(PlaceInTextTest, CountsLinesAndCharacters) {
    const std::string sql = "SELECT\n  '\xc3\xa4', x\nFROM t";
    const TextPlace place = place_in_text(sql, sql.find('x'));
    EXPECT_EQ(place.line, 2U);
    EXPECT_EQ(place.column, 8U);
    EXPECT_EQ(place.line_text, "  '\xc3\xa4', x");
    EXPECT_EQ(place_in_text(sql, 0).column, 1U);
    EXPECT_EQ(place_in_text(sql, 9999).line, 3U);
    EXPECT_EQ(place_in_text("", 0).line, 1U);
}

TEST(ResultGridTest, MarkdownKeepsEachCellOnItsLine) {
    const query::QueryResult result{.columns = {"name|x", "bytes"},
                                    .cells = {std::string("a|b\nc"), std::int64_t{5}, std::monostate{}, std::int64_t{70}}};
    EXPECT_EQ(result_text(result, {1, 0}, ResultFormat::markdown),
              "| name\\|x | bytes |\n| --- | ---: |\n| NULL | 70 |\n| a\\|b c | 5 |\n");
}

}  // namespace
}  // namespace snapviewer
