#include "core/query/search_sql.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/query/database.h"
#include "tests/unit/query_fixture.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::search_sql_test {
namespace {

using test::TraceBuilder;

constexpr std::uint64_t k_high = std::uint64_t{1} << 63;

/// A timeline with three streams, stacks whose names need escapes, addresses on both sides of 2^63, and metadata.
std::shared_ptr<const Timeline> varied_timeline() {
    std::mt19937 random(7);
    const auto below = [&random](std::uint32_t limit) {
        return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
    };
    TraceBuilder trace;
    trace.raw().streams = {0, 0x5550, k_high + 5};
    trace.raw().stream_numbers = {0, 1, 2};
    const std::vector<std::vector<Frame>> stacks = {
        {{trace.text("/me/my_model.py"), trace.text("forward"), 10}, {trace.text("/me/train.py"), trace.text("Step"), 7}},
        {{trace.text("/me/mymodel.py"), trace.text("it's<lambda>"), 11},
         {trace.text("/me/train.py"), trace.text("step"), 7}},
        {{trace.text(""), trace.text("at::native::conv2d"), 0}},
        {{trace.text("C:\\me\\x.py"), trace.text("a\\b"), 0}},
    };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> open;
    for (std::uint64_t i = 0; i < 300; ++i) {
        open.emplace_back((i % 3 == 0 ? k_high : 0) + 0x10000 * (i + 1), i == 5 ? 0 : below(4096));
        trace.alloc(open.back().first, open.back().second).with_stack(stacks[below(4)]);
        trace.on_stream(static_cast<std::uint16_t>(below(3)));
        if (below(5) == 0) trace.with_metadata({trace.text(below(2) == 0 ? "step_1 forward" : "step21"), {}, {}, {}, {}});
        if (below(3) == 0) continue;
        const std::size_t gone = below(static_cast<std::uint32_t>(open.size()));
        trace.free(open[gone].first, open[gone].second);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    return std::make_shared<const Timeline>(test::lay_out(trace.build()));
}

std::vector<std::int64_t> ids_by_sql(query::Database& database, const std::string& sql) {
    const Result<query::QueryResult> result = database.run(sql, {});
    EXPECT_TRUE(result) << sql << "\n" << (result ? "" : result.error().message);
    std::vector<std::int64_t> ids;
    for (std::size_t row = 0; result && row < result->row_count(); ++row)
        ids.push_back(std::get<std::int64_t>(result->cell(row, 0)));
    std::ranges::sort(ids);
    return ids;
}

std::vector<std::int64_t> ids_by_search(const Timeline& timeline, const std::vector<SearchTerm>& terms) {
    const Emphasis found = find_terms(timeline, terms);
    std::vector<std::int64_t> ids;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        if (found.contains(AllocationId{i})) ids.push_back(i);
    }
    return ids;
}

TEST(SearchSql, FindsWhatTheSearchFinds) {
    const std::shared_ptr<const Timeline> timeline = varied_timeline();
    const std::shared_ptr<const Snapshot> snapshot(timeline, &timeline->snapshot());
    const auto database = query::Database::create(snapshot, {timeline});
    ASSERT_TRUE(database) << database.error().text();
    for (const char* text : {"forward",
                             "my_model",
                             "mymodel",
                             "MY%el",
                             "%",
                             "step_1",
                             "it's<lambda>",
                             "me\\x",
                             "conv2d",
                             ":0:a\\",
                             "0x50010",
                             "0x8000000000010004",
                             "function:step",
                             "file:my_model",
                             "file:train function:forward",
                             "re:my.?model\\.py:1[01]",
                             "re:^at::",
                             "re:it's",
                             "re:step$",
                             "> 2 KiB",
                             "size < 100",
                             "size = 0",
                             "100..200",
                             "size >= 0",
                             "stream:1",
                             "stream:0x5550",
                             "stream:0x8000000000000005",
                             "stream:1..2",
                             "stream:9",
                             "address > 0x8000000000000000",
                             "address < 0x100000",
                             "address:0x100000..0x8000000000200000",
                             "address:0x8000000000000000..0x8000000000200000",
                             "age > 40",
                             "age <= 5",
                             "age < 300 us",
                             "age:0..100 us",
                             "age > 1 s",
                             "forward > 1 KiB stream:0 age > 10",
                             "0x20000 size >= 0"}) {
        const auto terms = parse_search(text);
        ASSERT_TRUE(terms) << text;
        const Result<std::string> sql = query::search_sql(*terms, *timeline, 0);
        ASSERT_TRUE(sql) << text;
        const std::vector<std::int64_t> found = ids_by_search(*timeline, *terms);
        EXPECT_EQ(ids_by_sql(**database, *sql), found) << text << "\n" << *sql;
        const std::string_view name = text;
        const bool finds_none = name == "stream:9" || name == "age > 1 s";
        EXPECT_EQ(found.empty(), finds_none) << text << " tells nothing";
    }
}

TEST(SearchSql, OfADeviceAmongOthers) {
    const auto snapshot = test::make_snapshot();
    const auto timelines = test::make_timelines(snapshot);
    const auto terms = parse_search("> 100");
    ASSERT_TRUE(terms);
    const auto database = test::make_database();
    EXPECT_EQ(ids_by_sql(*database, *query::search_sql(*terms, *timelines[0], 0)), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(ids_by_sql(*database, *query::search_sql(*terms, *timelines[1], 1)), (std::vector<std::int64_t>{3}));
}

TEST(Regexp, InAQuery) {
    const auto database = test::make_database();
    EXPECT_EQ(test::rows_of(*database, "SELECT text FROM frames WHERE text REGEXP '^A\\.py:\\d:' ORDER BY id"), "a.py:1:f");
    EXPECT_EQ(
        test::rows_of(*database, "SELECT regexp('b', 'abc'), regexp('z', 'abc'), regexp(NULL, 'a'), regexp('a', NULL)"),
        "1|0|-|-");
    for (const std::string expression : {"(", "(a{900}){900}"}) {
        const Error error = test::error_of(*database, "SELECT 'a' REGEXP '" + expression + "'");
        EXPECT_EQ(error.code, ErrorCode::bad_query);
        EXPECT_NE(error.message.find("'" + expression + "'"), std::string::npos) << error.message;
    }
}

TEST(Regexp, WhatCouldTakeLongIsAnError) {
    const auto database = test::make_database();
    const Error error = test::error_of(*database, "SELECT printf('%.1000000c', 'x') REGEXP '(.*x){20}.{500}z'");
    EXPECT_EQ(error.code, ErrorCode::bad_query);
    EXPECT_NE(error.message.find(" 1000000 bytes"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace snapviewer::search_sql_test
