#include "core/timeline/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <random>
#include <sstream>

#include "core/mesh/colours.h"
#include "core/mesh/mesh.h"
#include "core/timeline/totals.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::lay_out;
using test::TraceBuilder;

/// A random timeline with about `stack_count` stacks, frees, and metadata on some allocations; some have neither stack nor
/// metadata.
Timeline random_timeline(std::uint32_t seed, std::size_t allocations, std::uint32_t stack_count) {
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t limit) {
        return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
    };
    TraceBuilder trace;
    Snapshot& snapshot = trace.snapshot();
    std::vector<StackId> stacks{StackId::none()};
    for (std::uint32_t i = 0; i < stack_count; ++i) {
        std::vector<FrameId> frames;
        for (std::uint32_t depth = 0; depth <= below(5); ++depth) {
            const StringId file = snapshot.strings.intern("/src/Model_" + std::to_string(below(6)) + ".py");
            const StringId function = snapshot.strings.intern("forward_" + std::to_string(below(9)));
            frames.push_back(snapshot.stacks.intern_frame({file, function, 1 + below(30)}));
        }
        stacks.push_back(snapshot.stacks.intern_stack(frames));
    }
    for (const char* text : {"step=1", "Step=2", "{\"layer\": \"Model_3\"}"}) {
        snapshot.metadata.push_back({snapshot.strings.intern(text), {}, {}, {}, {}});
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> open;
    for (std::size_t i = 0; i < allocations; ++i) {
        const std::uint64_t address = 0x7f00'0000'0000 + 4096 * std::uint64_t{below(5000)};
        const std::uint64_t size = 1 + below(4096);
        if (std::ranges::find(open, address, [](const auto& block) { return block.first; }) != open.end()) continue;
        trace.alloc(address, size).stack(stacks[below(static_cast<std::uint32_t>(stacks.size()))]);
        if (below(4) == 0) trace.metadata(MetadataId{below(3)});
        open.emplace_back(address, size);
        if (below(3) != 0) continue;
        const std::size_t gone = below(static_cast<std::uint32_t>(open.size()));
        trace.free(open[gone].first, open[gone].second);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    return lay_out(trace.build());
}

std::string small_letters(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

/// Matches letter by letter without a lookup table; the pattern contains no '%'.
bool matches_plainly(const Timeline& timeline, std::uint32_t i, const std::string& pattern) {
    const Snapshot& snapshot = timeline.snapshot();
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::istringstream lines(stack_text(snapshot.strings, snapshot.stacks, allocations.stack[i]));
    for (std::string line; std::getline(lines, line);) {
        if (small_letters(line).find(small_letters(pattern)) != std::string::npos) return true;
    }
    const EventId event = allocations.alloc_event[i].is_some() ? allocations.alloc_event[i] : allocations.free_event[i];
    if (!event.is_some()) return false;
    const MetadataId metadata = timeline.trace().events.metadata[event.value];
    return metadata.is_some() &&
           small_letters(std::string(snapshot.strings.view(snapshot.metadata[metadata.value].user_metadata)))
                   .find(small_letters(pattern)) != std::string::npos;
}

class RandomSearch : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomSearch, FindsWhatALookAtEveryAllocationFinds) {
    const Timeline timeline = random_timeline(GetParam(), 3000, 60);
    for (const char* pattern : {"model_3", "forward_7", "STEP=", "py:12:", "_1.py:2", "nowhere"}) {
        const Emphasis found = find_text(timeline, pattern);
        std::size_t expected = 0;
        for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
            const bool matches = matches_plainly(timeline, i, pattern);
            ASSERT_EQ(found.contains(AllocationId{i}), matches) << pattern << ", allocation " << i;
            expected += matches ? 1 : 0;
        }
        EXPECT_EQ(found.count(), expected) << pattern;
        EXPECT_EQ(expected == 0, std::string_view(pattern) == "nowhere") << pattern;
    }
}

TEST_P(RandomSearch, CountsWhatIsAliveLikeAReplay) {
    const Timeline timeline = random_timeline(GetParam(), 1500, 40);
    const Emphasis found = find_text(timeline, "model_2");
    std::vector<bool> alive(timeline.allocation_count());
    for (std::uint32_t i = 0; i < timeline.trace().initial_count; ++i) alive[i] = true;
    for (std::uint32_t tick = 0; tick + 1 < timeline.tick_count(); ++tick) {
        if (tick > 0) alive[timeline.trace().actions[tick - 1].value].flip();
        LiveShare expected;
        for (std::uint32_t i = 0; i < alive.size(); ++i) {
            if (!alive[i] || !found.contains(AllocationId{i})) continue;
            ++expected.count;
            expected.bytes += timeline.trace().allocations.size_bytes[i];
        }
        ASSERT_EQ(found.live_at(timeline, tick), expected) << tick;
    }
}

TEST_P(RandomSearch, LiveTotalsByStackAreThoseOfAReplay) {
    const Timeline timeline = random_timeline(GetParam(), 1500, 40);
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::vector<bool> alive(timeline.allocation_count());
    for (std::uint32_t i = 0; i < timeline.trace().initial_count; ++i) alive[i] = true;
    for (std::uint32_t tick = 0; tick + 1 < timeline.tick_count(); ++tick) {
        if (tick > 0) alive[timeline.trace().actions[tick - 1].value].flip();
        if (tick % 7 != 0) continue;
        std::map<StackId, StackTotal> expected;
        for (std::uint32_t i = 0; i < alive.size(); ++i) {
            if (!alive[i]) continue;
            const Origin origin = allocations.origin[i];
            const bool is_bare = origin == Origin::standing && !allocations.stack[i].is_some();
            const StackId stack = origin == Origin::freed || is_bare ? k_before_recording : allocations.stack[i];
            StackTotal& total = expected[stack];
            total.stack = stack;
            ++total.count;
            total.bytes += allocations.size_bytes[i];
        }
        const std::vector<StackTotal> totals = totals_by_stack(timeline, timeline.live_after_tick(tick));
        ASSERT_EQ(totals.size(), expected.size()) << tick;
        for (std::size_t i = 0; i < totals.size(); ++i) {
            ASSERT_EQ(totals[i], expected.at(totals[i].stack)) << tick;
            ASSERT_TRUE(i == 0 || totals[i - 1].bytes >= totals[i].bytes) << tick;
        }
    }
}

TEST(LiveTotals, DoNotRankWhatAStackFreedUnderIt) {
    // One line allocates 10 bytes and frees 500 that existed before the recording; another free of 30 such bytes has no
    // stack.
    TraceBuilder trace;
    const Frame cleanup{trace.text("train.py"), trace.text("cleanup"), 77};
    const Timeline timeline = lay_out(trace.alloc(1, 10)
                                          .with_stack({cleanup})
                                          .event(Action::free_completed, 2, 500)
                                          .with_stack({cleanup})
                                          .event(Action::free_completed, 3, 30)
                                          .build());
    EXPECT_EQ(totals_by_stack(timeline, timeline.live_after_tick(1)),
              (std::vector<StackTotal>{{k_before_recording, 530, 2}, {StackId{0}, 10, 1}}));
    EXPECT_EQ(emphasise_stack(timeline, StackId{0}).count(), 1U);
    EXPECT_EQ(emphasise_stack(timeline, k_before_recording).count(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSearch, ::testing::Range(1U, 4U));

TEST(Search, FindsWhateverHeldAnAddress) {
    const Timeline timeline =
        lay_out(TraceBuilder().alloc(0x1000, 512).free(0x1000, 512).alloc(0x1100, 256).alloc(0x2000, 512).build());
    const auto found = [&](const char* text) {
        std::vector<bool> all;
        const Emphasis emphasis = find_text(timeline, text);
        for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) all.push_back(emphasis.contains(AllocationId{i}));
        return all;
    };
    EXPECT_EQ(found("0x1000"), (std::vector<bool>{true, false, false}));
    EXPECT_EQ(found(" 0X11FF "), (std::vector<bool>{true, true, false}));
    EXPECT_EQ(found("0x1200"), (std::vector<bool>{false, false, false}));
    EXPECT_EQ(found("8703"), (std::vector<bool>{false, false, true})) << "0x21ff";
    EXPECT_EQ(found("0"), (std::vector<bool>{false, false, false}));
    EXPECT_EQ(found("   "), (std::vector<bool>{false, false, false}));
}

TEST(Search, AHighestAddressDoesNotWrapAround) {
    const Timeline timeline = lay_out(TraceBuilder().alloc(0xffff'ffff'ffff'ff00, 4096).alloc(0x100, 16).build());
    EXPECT_TRUE(find_text(timeline, "0xffffffffffffffff").contains(AllocationId{0}));
    EXPECT_FALSE(find_text(timeline, "0x108").contains(AllocationId{0}));
}

TEST(Search, APercentSignStandsForAnyText) {
    EXPECT_TRUE(contains_pattern("train.py:42:Forward", "TRAIN%forward"));
    EXPECT_TRUE(contains_pattern("train.py:42:forward", "%:42%"));
    EXPECT_TRUE(contains_pattern("aXbXc", "a%b%c"));
    EXPECT_FALSE(contains_pattern("train.py:42:forward", "forward%train"));
    EXPECT_FALSE(contains_pattern("abc", "b%b"));
    EXPECT_FALSE(contains_pattern("all.reduce", "all_reduce"));
    EXPECT_TRUE(contains_pattern("", ""));
}

TEST(Emphasis, GoesRoundBothWays) {
    const Emphasis odd = Emphasis::where(10, [](AllocationId id) { return id.value == 2 || id.value == 7; });
    EXPECT_EQ(odd.neighbour(AllocationId::none(), true), AllocationId{2});
    EXPECT_EQ(odd.neighbour(AllocationId{2}, true), AllocationId{7});
    EXPECT_EQ(odd.neighbour(AllocationId{7}, true), AllocationId{2});
    EXPECT_EQ(odd.neighbour(AllocationId::none(), false), AllocationId{7});
    EXPECT_EQ(odd.neighbour(AllocationId{7}, false), AllocationId{2});
    EXPECT_EQ(odd.neighbour(AllocationId{2}, false), AllocationId{7});
    EXPECT_EQ(odd.neighbour(AllocationId{5}, false), AllocationId{2});
    EXPECT_EQ(Emphasis(10).neighbour(AllocationId{3}, true), std::nullopt);
    EXPECT_EQ(Emphasis(0).neighbour(AllocationId::none(), false), std::nullopt);
}

TEST(Emphasis, OfAStackIsAllItMade) {
    const Timeline timeline = random_timeline(9, 800, 10);
    for (const StackId stack : {StackId{0}, StackId{5}, StackId::none()}) {
        const Emphasis emphasis = emphasise_stack(timeline, stack);
        EXPECT_GT(emphasis.count(), 10U);
        for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
            ASSERT_EQ(emphasis.contains(AllocationId{i}), timeline.trace().allocations.stack[i] == stack) << i;
        }
    }
}

TEST(Emphasis, OfAListHasEachOnceAndAddsUpTheirSizes) {
    const Timeline timeline = random_timeline(9, 800, 10);
    const std::vector<AllocationId> ids = {AllocationId{3}, AllocationId{70}, AllocationId{3}, AllocationId{5000}};
    const Emphasis emphasis = Emphasis::of(timeline.allocation_count(), ids);
    EXPECT_EQ(emphasis.count(), 2U);
    EXPECT_TRUE(emphasis.contains(AllocationId{3}) && emphasis.contains(AllocationId{70}));
    const AllocationColumns& allocations = timeline.trace().allocations;
    EXPECT_EQ(emphasis.bytes(timeline), allocations.size_bytes[3] + allocations.size_bytes[70]);
}

TEST(GreyOthers, KeepsTheColoursOfWhatStandsOut) {
    const Timeline timeline = random_timeline(4, 500, 12);
    const Emphasis found = find_text(timeline, "model_1");
    ASSERT_GT(found.count(), 0U);
    ASSERT_LT(found.count(), timeline.allocation_count());
    const std::vector<std::uint32_t> before = mesh::allocation_colours(timeline, mesh::ColourBy::stack);
    std::vector<std::uint32_t> after = before;
    mesh::grey_others(after, found);
    for (std::uint32_t i = 0; i < after.size(); ++i) {
        if (found.contains(AllocationId{i})) {
            ASSERT_EQ(after[i], before[i]) << i;
            continue;
        }
        const std::uint32_t red = after[i] & 0xFF, green = after[i] >> 8 & 0xFF, blue = after[i] >> 16 & 0xFF;
        ASSERT_EQ(red, green);
        ASSERT_EQ(green, blue);
        ASSERT_LT(red, 0x48U) << "dark enough to step back";
        ASSERT_GT(red, 0x1cU) << "but not gone into the ground";
        ASSERT_EQ(after[i] >> 24, 0xFFU);
    }
}

}  // namespace
}  // namespace snapviewer
