#include "app/features/table/allocation_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/document/document.h"
#include "tests/app/scratch_folder.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::allocation_rows_test {
namespace {

using test::lay_out;
using test::TraceBuilder;

constexpr std::uint64_t k_mib = 1 << 20;

/// Five allocations with two stacks. The third is freed, and the fourth is known only by its free.
std::shared_ptr<const Timeline> small_timeline() {
    TraceBuilder trace;
    const std::vector<Frame> forward = {{trace.text("model.py"), trace.text("forward"), 39}};
    const std::vector<Frame> step = {{trace.text("train.py"), trace.text("step"), 7}};
    trace.alloc(0x1000, 3 * k_mib).with_stack(forward);
    trace.alloc(0x800000, 100).with_stack(step).with_metadata({trace.text("layer 1"), {}, {}, trace.text("Weight"), {}});
    trace.alloc(0x900000, k_mib).with_stack(forward);
    trace.free(0x900000, k_mib);
    trace.free(0xA00000, 100).with_stack(step);
    trace.alloc(0xB00000, 2 * k_mib);
    return std::make_shared<const Timeline>(lay_out(trace.build()));
}

/// Describes rows by their sizes and origins, which are unique for the allocations of small_timeline().
std::vector<std::string> shown_sizes(const table::RowArrangement& arrangement) {
    const table::AllocationRows rows(small_timeline(), 0);
    const auto arranged = table::arrange_rows(rows, arrangement);
    std::vector<std::string> sizes;
    for (const std::uint32_t id : arranged.ids) {
        const bool is_freed = rows.timeline().trace().allocations.origin[id] == Origin::freed;
        sizes.push_back(rows.shown(table::AllocationColumn::size, AllocationId{id}) + (is_freed ? " before" : ""));
    }
    return sizes;
}

std::vector<std::string> filtered(table::AllocationColumn column, const char* text) {
    table::RowArrangement arrangement;
    arrangement.filters[static_cast<std::size_t>(column)] = text;
    return shown_sizes(arrangement);
}

using Sizes = std::vector<std::string>;

TEST(AllocationRows, LargestFirstAndEqualOnesInDrawingOrder) {
    EXPECT_EQ(shown_sizes({}), (Sizes{"3.0 MiB", "2.0 MiB", "1.0 MiB", "100 B before", "100 B"}));
    EXPECT_EQ(shown_sizes({.sorted_by = table::AllocationColumn::size, .is_descending = false}),
              (Sizes{"100 B before", "100 B", "1.0 MiB", "2.0 MiB", "3.0 MiB"}));
}

TEST(AllocationRows, AFilterOfEachKind) {
    EXPECT_EQ(filtered(table::AllocationColumn::size, "> 1 MiB"), (Sizes{"3.0 MiB", "2.0 MiB"}));
    EXPECT_EQ(filtered(table::AllocationColumn::size, "100..1M"), (Sizes{"1.0 MiB", "100 B before", "100 B"}));
    EXPECT_EQ(filtered(table::AllocationColumn::stack, "FORWARD"), (Sizes{"3.0 MiB", "1.0 MiB"}));
    EXPECT_EQ(filtered(table::AllocationColumn::stack, "before the recording"), (Sizes{"100 B before"}));
    EXPECT_EQ(filtered(table::AllocationColumn::stack, "no stack"), (Sizes{"2.0 MiB"}));
    EXPECT_EQ(filtered(table::AllocationColumn::state, "freed"), (Sizes{"1.0 MiB", "100 B before"}));
    EXPECT_EQ(filtered(table::AllocationColumn::origin, "freed"), (Sizes{"100 B before"}));
    EXPECT_EQ(filtered(table::AllocationColumn::category, "weight"), (Sizes{"100 B"}));
    EXPECT_EQ(filtered(table::AllocationColumn::user_metadata, "layer%1"), (Sizes{"100 B"}));
    EXPECT_EQ(filtered(table::AllocationColumn::address, "0x8ffffe"), Sizes{});
    EXPECT_EQ(filtered(table::AllocationColumn::address, "0x900010"), (Sizes{"1.0 MiB"})) << "what held it";
    EXPECT_EQ(filtered(table::AllocationColumn::address, "0x900000..0xA00000"), (Sizes{"1.0 MiB", "100 B before"}));
    EXPECT_EQ(filtered(table::AllocationColumn::free_step, ">= 0"), (Sizes{"1.0 MiB", "100 B before"})) << "others stay";
    EXPECT_EQ(filtered(table::AllocationColumn::size, "large").size(), 5U) << "what means nothing leaves all";
}

TEST(AllocationRows, FiltersJoinAndSoDoesTheSearch) {
    const auto timeline = small_timeline();
    const table::AllocationRows rows(timeline, 0);
    table::RowArrangement arrangement;
    arrangement.filters[static_cast<std::size_t>(table::AllocationColumn::stack)] = "forward";
    arrangement.filters[static_cast<std::size_t>(table::AllocationColumn::size)] = "< 2 MiB";
    const auto both = table::arrange_rows(rows, arrangement);
    ASSERT_EQ(both.ids.size(), 1U);
    EXPECT_EQ(both.bytes, k_mib);
    const std::uint32_t found = both.ids.front();
    arrangement.among = std::make_shared<const Emphasis>(
        Emphasis::where(timeline->allocation_count(), [&](AllocationId id) { return id.value != found; }));
    EXPECT_TRUE(table::arrange_rows(rows, arrangement).ids.empty());
}

TEST(AllocationRows, WhatIsToStopStops) {
    Progress progress;
    progress.request_stop();
    const table::AllocationRows rows(small_timeline(), 0);
    EXPECT_FALSE(caught(&progress, [&] { return table::arrange_rows(rows, {}); }));
    const std::vector<std::uint32_t> ids{0};
    EXPECT_FALSE(caught(&progress, [&] { return table::rows_as_tsv(rows, ids, table::ChosenColumns{true}); }));
}

TEST(AllocationRows, TabsAndLineEndsStayWithinTheirCell) {
    TraceBuilder trace;
    trace.alloc(0x1000, 5).with_metadata({trace.text("a\tb\nc"), {}, {}, {}, {}});
    const table::AllocationRows rows(std::make_shared<const Timeline>(lay_out(trace.build())), 40);
    table::ChosenColumns columns{};
    for (const auto column : {table::AllocationColumn::id, table::AllocationColumn::size, table::AllocationColumn::free_step,
                              table::AllocationColumn::user_metadata})
        columns[static_cast<std::size_t>(column)] = true;
    EXPECT_EQ(table::rows_as_tsv(rows, std::vector<std::uint32_t>{0}, columns),
              "id\tsize\tfree_step\tuser_metadata\n40\t5\t\ta b c\n");
}

TEST(AllocationRows, NotesThatAllShareAreCutInCellsOnTheClipboardAndInFiles) {
    TraceBuilder trace;
    const EventMetadata noted{trace.text(std::string(100'000, 'n')), {}, {}, {}, {}};
    for (std::uint64_t i = 1; i <= 800; ++i) trace.alloc(0x1000 * i, 5).with_metadata(noted);
    const auto rows =
        std::make_shared<const table::AllocationRows>(std::make_shared<const Timeline>(lay_out(trace.build())), 0);
    EXPECT_EQ(rows->shown(table::AllocationColumn::user_metadata, AllocationId{0}).size(), limits::k_max_source_bytes - 1);
    table::ChosenColumns columns{};
    columns[static_cast<std::size_t>(table::AllocationColumn::user_metadata)] = true;
    table::ArrangedRows all;
    for (std::uint32_t i = 0; i < 800; ++i) all.ids.push_back(i);
    const std::string copied = table::rows_as_tsv(*rows, all.ids, columns);
    EXPECT_LT(copied.size(), limits::k_max_clipboard_bytes + 200'000);
    EXPECT_TRUE(copied.ends_with("n\n\u2026 464 more rows\n")) << copied.substr(copied.size() - 60);
    const ScratchFolder folder;
    Progress progress;
    const std::string path = (folder.path() / "rows.csv").string();
    EXPECT_FALSE(caught(&progress, [&] { table::write_csv(*rows, all.ids, columns, path); }));
    EXPECT_FALSE(std::filesystem::exists(path));
}

/// The values of a column in all rows, with numbers as numbers.
std::vector<Cell> plain_values(const table::AllocationRows& rows, table::AllocationColumn column) {
    std::vector<Cell> values;
    for (std::uint32_t i = 0; i < rows.timeline().allocation_count(); ++i)
        values.push_back(rows.value(column, AllocationId{i}));
    return values;
}

class RandomRows : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomRows, AreInThePlainOrderByEveryColumn) {
    const auto timeline =
        std::make_shared<const Timeline>(lay_out(test::random_trace(GetParam(), GetParam() == 0 ? 40'000 : 700, 50)));
    const table::AllocationRows rows(timeline, 1000);
    for (const table::AllocationColumnInfo& info : table::allocation_columns()) {
        const std::vector<Cell> values = plain_values(rows, info.column);
        for (const bool is_descending : {false, true}) {
            std::vector<std::uint32_t> expected(values.size());
            std::iota(expected.begin(), expected.end(), 0U);
            // A variant compares in SQL's order: NULL, then numbers, then texts.
            std::ranges::stable_sort(expected, [&](std::uint32_t a, std::uint32_t b) {
                return is_descending ? values[b] < values[a] : values[a] < values[b];
            });
            const auto arranged = table::arrange_rows(rows, {info.column, is_descending, {}, nullptr});
            EXPECT_EQ(arranged.ids, expected) << info.title << (is_descending ? ", descending" : "");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRows, ::testing::Values(0, 1, 2, 3));

std::string text_of(const Cell& cell) {
    if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
    const auto* text = std::get_if<std::string>(&cell);
    return text == nullptr ? "NULL" : *text;
}

TEST(AllocationRows, SayWhatTheSqlTableSays) {
    Progress progress;
    const auto document = open_document(SAMPLE_FILE, {.mesh = false}, progress);
    ASSERT_TRUE(document);
    std::vector<table::AllocationColumn> columns;
    std::string sql;
    for (const table::AllocationColumnInfo& info : table::allocation_columns()) {
        const auto own = {table::AllocationColumn::life_steps, table::AllocationColumn::life_time,
                          table::AllocationColumn::stack};
        if (std::ranges::find(own, info.column) != own.end()) continue;
        columns.push_back(info.column);
        sql += (sql.empty() ? "SELECT " : ", ") + std::string(info.sql_name);
    }
    const auto result =
        (*document)->database->run(sql + " FROM allocations WHERE device = 0 ORDER BY id", {.max_rows = 1'000'000});
    ASSERT_TRUE(result) << result.error().text();
    const table::AllocationRows rows((*document)->devices[0].timeline,
                                     query::first_allocation_row(*(*document)->snapshot, 0));
    ASSERT_EQ(result->row_count(), rows.timeline().allocation_count());
    for (std::uint32_t row = 0; row < result->row_count(); ++row) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            ASSERT_EQ(text_of(rows.value(columns[i], AllocationId{row})), text_of(result->cell(row, i)))
                << table::info_of(columns[i]).title << " of row " << row;
        }
    }
}

}  // namespace
}  // namespace snapviewer::allocation_rows_test
