#include "core/timeline/collect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "core/base/context.h"
#include "core/timeline/timeline.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::TraceBuilder;
using Path = std::vector<PathPoint>;

Timeline pools_of(const std::shared_ptr<const Snapshot>& snapshot) {
    return Timeline::build(snapshot, collect_pools(*snapshot, snapshot->devices[0]));
}

/// Moves the last segment into private pool (0, 1).
TraceBuilder& make_private(TraceBuilder& trace) {
    trace.raw().pools = {{0, 0}, {0, 1}};
    trace.raw().segments.back().pool = 1;
    return trace;
}

TEST(CollectPools, KeepsAPoolTogetherAndFillsWhatItDoesNotUse) {
    // The pool has 1000 bytes reserved when its first block arrives. Expected, by memory_viz's rules:
    //   A arrives: the envelope grows to 1000 in steps 0 to 3, then A takes 0..300 at step 3, and 300..1000 is unused (U1)
    //   N, which is in no private pool, arrives on top of the envelope at step 4
    //   B arrives at step 5 and takes 300..500; U1 shrinks, and 500..1000 is unused (U2)
    //   A is freed: one step at the old place, then B and U2 slide down by 300 in steps 7 to 10, and 700..1000 is unused
    //   (U3).
    //     N does not move, because the envelope does not shrink
    //   C arrives at step 10 and takes 200..300 from U2, of which 300..700 remains (U4). The picture ends at step 11.
    TraceBuilder trace;
    trace.event(Action::segment_alloc, 0x1000, 1000)
        .alloc(0x1000, 300)   // A
        .alloc(0x9000, 50)    // N
        .alloc(0x1200, 200)   // B
        .free(0x1000, 300)    // A
        .alloc(0x1000, 100);  // C
    trace.segment(0x9000, {{512, BlockState::active_allocated}});
    trace.segment(0x1000, {{512, BlockState::active_allocated}, {488, BlockState::active_allocated}});
    const Timeline timeline = pools_of(make_private(trace).build());

    const AllocationColumns& allocations = timeline.trace().allocations;
    constexpr std::uint32_t k_a = 0, k_u1 = 1, k_n = 2, k_b = 3, k_u2 = 4, k_u3 = 5, k_c = 6, k_u4 = 7;
    EXPECT_EQ(allocations.size_bytes, (std::vector<std::uint64_t>{300, 700, 50, 200, 500, 300, 100, 400}));
    for (const std::uint32_t unused : {k_u1, k_u2, k_u3, k_u4}) EXPECT_EQ(allocations.origin[unused], Origin::derived);
    EXPECT_EQ(timeline.path(AllocationId{k_a}), (Path{{3, 0}, {7, 0}}));
    EXPECT_EQ(timeline.path(AllocationId{k_u1}), (Path{{3, 300}, {5, 300}}));
    EXPECT_EQ(timeline.path(AllocationId{k_n}), (Path{{4, 1000}, {11, 1000}}));
    EXPECT_EQ(timeline.path(AllocationId{k_b}), (Path{{5, 300}, {7, 300}, {10, 0}, {11, 0}}));
    EXPECT_EQ(timeline.path(AllocationId{k_u2}), (Path{{5, 500}, {7, 500}, {10, 200}, {10, 200}}));
    EXPECT_EQ(timeline.path(AllocationId{k_u3}), (Path{{10, 700}, {11, 700}}));
    EXPECT_EQ(timeline.path(AllocationId{k_c}), (Path{{10, 200}, {11, 200}}));
    EXPECT_EQ(timeline.path(AllocationId{k_u4}), (Path{{10, 300}, {11, 300}}));
    EXPECT_EQ(timeline.step_count(), 11U);
    EXPECT_EQ(timeline.peak_bytes(), 1050U);
    EXPECT_EQ(timeline.pick(Axis::steps, 6, 250), AllocationId{k_a});
    EXPECT_EQ(timeline.pick(Axis::steps, 6, 750), AllocationId{k_u2});
}

TEST(CollectPools, AnEnvelopeGrowsUnderWhatStandsOnIt) {
    // At the left edge: the pool (500 reserved, 300 used by S) and O on top of it. D needs 300 bytes but only 200 are free:
    // the envelope grows to 600 in steps 0 to 3 and lifts O, then D arrives.
    TraceBuilder trace;
    trace.alloc(0x1000 + 300, 300);
    trace.segment(0x9000, {{512, BlockState::active_allocated}});
    trace.segment(0x1000, {{300, BlockState::active_allocated}, {200, BlockState::active_allocated}});
    const Timeline timeline = pools_of(make_private(trace).build());
    constexpr std::uint32_t k_s = 0, k_unused = 1, k_o = 2, k_d = 3;
    EXPECT_EQ(timeline.trace().initial_count, 3U);
    EXPECT_EQ(timeline.path(AllocationId{k_s}), (Path{{0, 0}, {4, 0}}));
    EXPECT_EQ(timeline.path(AllocationId{k_unused}), (Path{{0, 300}, {3, 300}}));
    EXPECT_EQ(timeline.path(AllocationId{k_o}), (Path{{0, 500}, {0, 500}, {3, 600}, {4, 600}}));
    EXPECT_EQ(timeline.path(AllocationId{k_d}), (Path{{3, 300}, {4, 300}}));
    EXPECT_EQ(timeline.peak_bytes(), 1112U);
}

TEST(CollectPools, WithoutPrivatePoolsIsTheOrdinaryPicture) {
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
        const auto snapshot = test::random_trace(seed, 300, 20);
        const auto ordinary = Timeline::build(snapshot, 0);
        const Timeline timeline = pools_of(snapshot);
        ASSERT_EQ(timeline.allocation_count(), ordinary.allocation_count());
        EXPECT_EQ(timeline.step_count(), ordinary.step_count());
        EXPECT_EQ(timeline.peak_bytes(), ordinary.peak_bytes());
        for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i)
            EXPECT_EQ(timeline.path(AllocationId{i}), ordinary.path(AllocationId{i})) << i;
    }
}

TEST(CollectPools, LiveBlocksAndUnusedMemoryTileTheEnvelopesAtEveryMoment) {
    // Random allocs and frees, with every second address in a private pool. At the end of each step, the drawn areas must
    // neither overlap nor leave gaps between 0 and the total.
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
        std::mt19937 random(seed);
        TraceBuilder trace;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> open;
        for (std::uint64_t i = 0; i < 150; ++i) {
            if (open.empty() || random() % 5 < 3) {
                const std::uint64_t address = (i % 2 == 0 ? 0x100000 : 0x900000) + 1024 * i;
                open.emplace_back(address, 1 + random() % 1000);
                trace.alloc(open.back().first, open.back().second);
            } else {
                const std::size_t gone = random() % open.size();
                trace.free(open[gone].first, open[gone].second);
                open.erase(open.begin() + static_cast<std::ptrdiff_t>(gone));
            }
        }
        trace.segment(0x100000, {{1024 * 150, BlockState::inactive}});
        trace.raw().segments.back().total_bytes = 1024 * 150;
        const Timeline timeline = pools_of(make_private(trace).build());
        const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
        for (std::uint64_t step = 0; step < timeline.step_count(); ++step) {
            std::vector<std::pair<std::uint64_t, std::uint64_t>> drawn;
            bool slides = false;
            for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
                const Path path = timeline.path(AllocationId{i});
                if (path.front().step > step || path.back().step <= step) continue;
                auto after = std::ranges::upper_bound(path, step, {}, &PathPoint::step);
                slides = slides || after->offset_bytes != (after - 1)->offset_bytes;
                drawn.emplace_back((after - 1)->offset_bytes, sizes[i]);
            }
            if (slides) continue;
            std::ranges::sort(drawn);
            std::uint64_t top = 0;
            for (const auto& [low, size] : drawn) {
                ASSERT_EQ(low, top) << seed << " step " << step;
                top = low + size;
            }
        }
    }
}

TEST(CollectPools, StopsWhenAsked) {
    const auto snapshot = TraceBuilder().alloc(0x1000, 5).build();
    Progress progress;
    progress.request_stop();
    const auto trace = caught(&progress, [&] { return collect_pools(*snapshot, snapshot->devices[0]); });
    ASSERT_FALSE(trace.ok());
    EXPECT_EQ(trace.error().code, ErrorCode::cancelled);
}

/// Returns the processor time in seconds for `count` blocks that stay alive and as many short-lived blocks below them. Each
/// of the latter is searched among all live blocks.
double seconds_for(std::uint64_t count) {
    TraceBuilder trace;
    for (std::uint64_t i = 1; i <= count; ++i) trace.alloc(0x1000000 + i * 512, 512);
    for (std::uint64_t i = 0; i < count; ++i) trace.alloc(0x100, 512).free(0x100, 512);
    trace.segment(0x1000, {{512, BlockState::inactive}});
    const std::shared_ptr<const Snapshot> snapshot = make_private(trace).build();
    const std::clock_t start = std::clock();
    const auto pools = collect_pools(*snapshot, snapshot->devices[0]);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_GE(pools->actions.size(), 3 * count);
    return seconds;
}

TEST(CollectPools, ManyAliveUnderManyThatComeAndGo) {
    // Four times as many blocks should take about four times as long; a linear search would take sixteen times as long.
    double least_ratio = 1e9;
    for (int attempt = 0; attempt < 4 && least_ratio >= 9; ++attempt)
        least_ratio = std::min(least_ratio, seconds_for(120'000) / std::max(seconds_for(30'000), 0.001));
    EXPECT_LT(least_ratio, 9);
}

}  // namespace
}  // namespace snapviewer
