#include "core/timeline/totals.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// A random trace with few stacks; some blocks existed before the recording.
std::shared_ptr<const Snapshot> random_comings(unsigned seed) {
    std::mt19937 random(seed);
    TraceBuilder trace;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> live;
    trace.free(0x10, 77);
    for (std::uint64_t i = 1; i <= 60; ++i) {
        if (!live.empty() && random() % 5 < 2) {
            const std::size_t which = random() % live.size();
            trace.free(live[which].first, live[which].second);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
            continue;
        }
        live.emplace_back(0x1000 * i, 1 + random() % 100);
        trace.alloc(live.back().first, live.back().second);
        if (random() % 4 != 0)
            trace.with_stack({{trace.text("a.py"), trace.text("f"), static_cast<std::uint32_t>(1 + random() % 4)}});
    }
    return trace.build();
}

/// True if the allocation is alive after this number of events, judged by its first and last event; -1 means before all
/// events.
bool is_alive_after(const AllocationColumns& allocations, std::uint32_t id, std::int64_t events) {
    const EventId alloc = allocations.alloc_event[id];
    const EventId free = allocations.free_event[id];
    return (!alloc.is_some() || alloc.value < events) && (!free.is_some() || free.value >= events);
}

TEST(MomentChanges, AreWhatTheEventsSay) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Timeline timeline = lay_out(random_comings(seed));
        const AllocationColumns& allocations = timeline.trace().allocations;
        const auto done = timeline.tick_events();
        for (std::uint32_t a = 0; a < timeline.tick_count(); a += 7) {
            for (std::uint32_t b = 0; b < timeline.tick_count(); b += 5) {
                MomentChanges expected;
                for (std::uint32_t id = 0; id < allocations.size(); ++id) {
                    const bool first = is_alive_after(allocations, id, done[a]);
                    const bool second = is_alive_after(allocations, id, done[b]);
                    if (second && !first) expected.came.emplace_back(id);
                    if (first && !second) expected.went.emplace_back(id);
                    if (first && second) expected.stayed.emplace_back(id);
                }
                const MomentChanges changes = changes_between(timeline, a, b);
                ASSERT_EQ(changes.came, expected.came) << seed << ": " << a << " to " << b;
                ASSERT_EQ(changes.went, expected.went) << seed << ": " << a << " to " << b;
                ASSERT_EQ(changes.stayed, expected.stayed) << seed << ": " << a << " to " << b;
            }
        }
    }
}

TEST(MomentChanges, WhatARangeMadeAndWhatItLeft) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const Timeline timeline = lay_out(random_comings(seed));
        const AllocationColumns& allocations = timeline.trace().allocations;
        const auto done = timeline.tick_events();
        const std::uint32_t last = timeline.tick_count() - 1;
        for (std::uint32_t a = 0; a <= last; a += 3) {
            for (std::uint32_t b = a; b <= last; b += 4) {
                std::vector<AllocationId> made;
                std::vector<AllocationId> left;
                for (std::uint32_t id = 0; id < allocations.size(); ++id) {
                    const EventId alloc = allocations.alloc_event[id];
                    if (!alloc.is_some() || alloc.value < done[a] || alloc.value >= done[b]) continue;
                    made.emplace_back(id);
                    if (!allocations.free_event[id].is_some()) left.emplace_back(id);
                }
                ASSERT_EQ(allocated_in(timeline, {a, b}), made) << seed << ": " << a << " to " << b;
                ASSERT_EQ(allocated_in_and_live(timeline, {a, b}, last), left) << seed << ": " << a << " to " << b;
            }
        }
    }
}

TEST(MomentChanges, StacksAddUpLargestFirst) {
    const Timeline timeline = lay_out(random_comings(3));
    const std::vector<AllocationId> all = allocated_in(timeline, {0, timeline.tick_count() - 1});
    const std::vector<StackTotal> totals = totals_by_stack(timeline, all);
    LiveShare sum;
    for (std::size_t i = 0; i < totals.size(); ++i) {
        sum.bytes += totals[i].bytes;
        sum.count += totals[i].count;
        if (i > 0) {
            EXPECT_GE(totals[i - 1].bytes, totals[i].bytes);
        }
    }
    EXPECT_EQ(sum, total_share(timeline, all));
    EXPECT_EQ(sum.count, all.size());
    EXPECT_EQ(totals.size(), 5U);  // four lines, and one group without a stack
}

}  // namespace
}  // namespace snapviewer::test
