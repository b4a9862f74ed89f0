#include "core/timeline/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/context.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::search_terms_test {
namespace {

using test::lay_out;
using test::TraceBuilder;
using Kind = SearchTerm::Kind;
using Terms = std::vector<SearchTerm>;

constexpr std::uint64_t k_max = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t k_mib = 1 << 20;

Terms parsed(std::string_view text) {
    const auto terms = parse_search(text);
    EXPECT_TRUE(terms) << text;
    return terms ? *terms : Terms{};
}

TEST(SearchTerms, PlainWordsAreOneTextAsTheyStand) {
    EXPECT_EQ(parsed(""), Terms{});
    EXPECT_EQ(parsed("  \t"), Terms{});
    for (const char* text : {"forward", "model.py:39:forward", "in  two words", "0x7f00", "512", "<module>", "operator<",
                             "a -> b", "/home/me/", "size", "age of steps", "filed:x", "resize"})
        EXPECT_EQ(parsed(text), (Terms{{Kind::text, text, {}}})) << text;
}

TEST(SearchTerms, AComparisonIsOneOfSizes) {
    for (const char* text : {"> 100 MiB", ">100MiB", "size > 100 MiB", "size>100M", "size:>100MiB", " size: > 100 MiB "})
        EXPECT_EQ(parsed(text), (Terms{{Kind::size, "", {100 * k_mib + 1, k_max}}})) << text;
    for (const char* text : {"1MiB..2MiB", "size:1 MiB .. 2 MiB", "size:1M..2M"})
        EXPECT_EQ(parsed(text), (Terms{{Kind::size, "", {k_mib, 2 * k_mib}}})) << text;
}

TEST(SearchTerms, EachKindAndSeveralTogether) {
    EXPECT_EQ(
        parsed("function:conv file:\"my model.py\" re:layer\\.[0-9]+"),
        (Terms{{Kind::function, "conv", {}}, {Kind::file, "my model.py", {}}, {Kind::expression, "layer\\.[0-9]+", {}}}));
    EXPECT_EQ(parsed("stream:3 address:0x7f00"), (Terms{{Kind::stream, "", {3, 3}}, {Kind::address, "", {0x7f00, 0x7f00}}}));
    EXPECT_EQ(parsed("age > 100"), (Terms{{Kind::age_steps, "", {101, k_max}}}));
    EXPECT_EQ(parsed("age <= 5 ms"), (Terms{{Kind::age_time, "", {0, 5000}}}));
    EXPECT_EQ(parsed("big > 1 KiB forward"), (Terms{{Kind::size, "", {1025, k_max}}, {Kind::text, "big forward", {}}}));
}

TEST(SearchTerms, WhatIsWrongIsNamedFirst) {
    for (const auto& [text, named] : std::vector<std::pair<const char*, const char*>>{{"size > ", "size "},
                                                                                      {"size:large", "size "},
                                                                                      {"age > old", "age "},
                                                                                      {"stream:first", "stream "},
                                                                                      {"address:here", "address "},
                                                                                      {"function: x", "function: "},
                                                                                      {"file:\"\"", "file: "},
                                                                                      {"re:(", "'(' "},
                                                                                      {"re:a)(b", "'a)(b' "}}) {
        const auto terms = parse_search(text);
        ASSERT_FALSE(terms) << text;
        EXPECT_EQ(terms.error().code, ErrorCode::bad_query) << text;
        EXPECT_TRUE(terms.error().message.starts_with(named)) << terms.error().message;
    }
}

/// A random timeline with three streams, four stacks and lifetimes of all lengths.
Timeline busy_timeline(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t limit) {
        return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
    };
    TraceBuilder trace;
    trace.raw().streams = {0, 0x5550, 0x7770};
    trace.raw().stream_numbers = {0, 1, 2};
    std::vector<std::vector<Frame>> stacks(4);
    for (std::uint32_t i = 0; i < stacks.size(); ++i) {
        stacks[i] = {{trace.text("/me/layer" + std::to_string(i) + ".py"), trace.text("forward"), 10 + i},
                     {trace.text("/me/train.py"), trace.text(i % 2 == 0 ? "Step" : "evaluate"), 7}};
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> open;
    for (std::uint64_t i = 0; i < 600; ++i) {
        open.emplace_back(0x10000 * (i + 1), 1 + below(4096));
        trace.alloc(open.back().first, open.back().second).with_stack(stacks[below(4)]);
        trace.on_stream(static_cast<std::uint16_t>(below(3)));
        if (below(3) == 0) continue;
        const std::size_t gone = below(static_cast<std::uint32_t>(open.size()));
        trace.free(open[gone].first, open[gone].second);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    return lay_out(trace.build());
}

std::vector<std::uint32_t> found(const Timeline& timeline, std::string_view text) {
    const Emphasis emphasis = find_terms(timeline, parsed(text));
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        if (emphasis.contains(AllocationId{i})) ids.push_back(i);
    }
    EXPECT_EQ(ids.size(), emphasis.count());
    return ids;
}

template <typename Meant>
std::vector<std::uint32_t> plainly(const Timeline& timeline, Meant is_meant) {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        const AllocationRow row = timeline.trace().allocations.row(i);
        const std::string stack = stack_text(timeline.snapshot().strings, timeline.snapshot().stacks, row.stack);
        if (is_meant(row, stack, AllocationId{i})) ids.push_back(i);
    }
    EXPECT_TRUE(!ids.empty() && ids.size() < timeline.allocation_count()) << "this tells nothing";
    return ids;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(SearchTerms, FindWhatAPlainLookAtEachFinds) {
    const Timeline timeline = busy_timeline(1);
    using Row = const AllocationRow&;
    using Text = const std::string&;
    EXPECT_EQ(found(timeline, "function:step"),
              plainly(timeline, [](Row, Text stack, AllocationId) { return has(stack, ":Step"); }));
    EXPECT_EQ(found(timeline, "file:LAYER2"),
              plainly(timeline, [](Row, Text stack, AllocationId) { return has(stack, "layer2.py"); }));
    EXPECT_TRUE(found(timeline, "file:forward").empty());
    EXPECT_EQ(found(timeline, "re:LAYER[13]\\.py:1\\d"), plainly(timeline, [](Row, Text stack, AllocationId) {
                  return has(stack, "layer1.py") || has(stack, "layer3.py");
              }));
    EXPECT_EQ(found(timeline, "> 2 KiB"),
              plainly(timeline, [](Row row, Text, AllocationId) { return row.size_bytes > 2048; }));
    EXPECT_EQ(found(timeline, "stream:2"), plainly(timeline, [](Row row, Text, AllocationId) { return row.stream == 2; }));
    EXPECT_EQ(found(timeline, "stream:0x5550"),
              plainly(timeline, [](Row row, Text, AllocationId) { return row.stream == 1; }));
    EXPECT_EQ(found(timeline, "address:0x50000"),
              plainly(timeline, [](Row row, Text, AllocationId) { return row.address == 0x50000; }));
    EXPECT_EQ(found(timeline, "age > 40"), plainly(timeline, [&](Row, Text, AllocationId id) {
                  return timeline.end_step(id) - timeline.start_step(id) > 40;
              }));
    EXPECT_EQ(found(timeline, "age < 300 us"), plainly(timeline, [&](Row row, Text, AllocationId) {
                  const auto& times = timeline.trace().events.time_us;
                  return row.free_event.is_some() && times[row.free_event.value] - times[row.alloc_event.value] < 300;
              }));
    EXPECT_EQ(found(timeline, "layer1 > 1 KiB stream:0"), plainly(timeline, [](Row row, Text stack, AllocationId) {
                  return row.size_bytes > 1024 && row.stream == 0 && has(stack, "layer1");
              }));
    EXPECT_TRUE(found(timeline, "").empty());
}

TEST(SearchTerms, StopWhenToldTo) {
    Progress progress;
    progress.request_stop();
    const Timeline timeline = busy_timeline(2);
    EXPECT_FALSE(caught(&progress, [&] { return find_terms(timeline, parsed("re:.")); }));
    EXPECT_TRUE(is_slow(parsed("x re:.")));
    EXPECT_FALSE(is_slow(parsed("x > 1")));
}

}  // namespace
}  // namespace snapviewer::search_terms_test
