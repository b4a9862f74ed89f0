#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "core/timeline/overlays.h"
#include "tests/unit/column_values.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::TraceBuilder;

TEST(Collect, OrdersWhatStoodBeforeTheRecordingAsMemoryVizDoes) {
    // The blocks at 100 and 200 are freed in this order; two more live in the segment. Expected order from the bottom: the
    // last block of the segment, the first one, the block freed last, the block freed first, and then the allocations of the
    // trace.
    const auto snapshot =
        TraceBuilder()
            .free(100, 1)
            .free(200, 2)
            .alloc(300, 3)
            .segment(1000,
                     {{64, BlockState::active_allocated}, {32, BlockState::inactive}, {16, BlockState::active_allocated}})
            .build();
    const AllocationColumns& all = snapshot->devices[0].allocations;
    EXPECT_EQ(test::values_of(all.address), (std::vector<std::uint64_t>{1096, 1000, 200, 100, 300}));
    EXPECT_EQ(all.origin, (std::vector{Origin::standing, Origin::standing, Origin::freed, Origin::freed, Origin::alloc}));
    EXPECT_EQ(snapshot->devices[0].initial_count, 4U);
}

TEST(Collect, KeepsTheOlderAllocationAtAnAddressThatIsReused) {
    const auto snapshot = TraceBuilder().alloc(100, 1).alloc(100, 2).free(100, 2).build();
    const AllocationColumns& all = snapshot->devices[0].allocations;
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.state[0], AllocationState::live);
    EXPECT_EQ(all.state[1], AllocationState::freed);
    ASSERT_EQ(snapshot->log.entries().size(), 1U);
    EXPECT_EQ(snapshot->log.entries()[0].code, "alloc_on_open_address");
    EXPECT_EQ(snapshot->log.entries()[0].severity, Severity::data_loss);
}

TEST(Collect, TellsRequestedFromCompletedFrees) {
    const auto snapshot = TraceBuilder().alloc(100, 1).event(Action::free_requested, 100, 1).build();
    EXPECT_EQ(snapshot->devices[0].allocations.state[0], AllocationState::awaiting_free);
}

TEST(Collect, AnAllocationThatLivesToTheEndTakesTheStackOfItsBlock) {
    // With context="state", only blocks have stacks. The stack of an event takes precedence. A block that was reused is
    // another allocation.
    TraceBuilder trace;
    const Frame line{trace.text("train.py"), trace.text("load"), 7};
    trace.alloc(1000, 64).alloc(1064, 32).with_stack({line}).alloc(1096, 16).free(1096, 16).alloc(1096, 16);
    trace.segment(1000, {{64, BlockState::active_allocated},
                         {32, BlockState::active_allocated},
                         {16, BlockState::active_pending_free},
                         {8, BlockState::active_allocated}});
    for (std::uint32_t i = 0; i < 4; ++i) {
        const Frame made{trace.text("model.py"), trace.text("build"), i};
        trace.raw().blocks[i].stack = trace.raw().stacks.intern_stack(std::vector{trace.raw().stacks.intern_frame(made)});
    }
    const auto snapshot = trace.build();
    const auto line_of = [&](std::uint32_t id) -> std::optional<std::uint32_t> {
        const StackId stack = snapshot->devices[0].allocations.stack[id];
        if (!stack.is_some()) return std::nullopt;
        return snapshot->stacks.frame(snapshot->stacks.stack(stack).front()).line;
    };
    ASSERT_EQ(snapshot->devices[0].allocations.size(), 5U);
    EXPECT_EQ(line_of(0), 3U) << "no event mentions it";
    EXPECT_EQ(line_of(1), 0U);
    EXPECT_EQ(line_of(2), 7U);
    EXPECT_EQ(line_of(3), std::nullopt) << "freed";
    EXPECT_EQ(line_of(4), 2U);
    EXPECT_FALSE(snapshot->devices[0].events.stack[0].is_some());
}

TEST(Collect, ShowsAtLeastOneStepWhenOnlySegmentsAreKnown) {
    const auto snapshot =
        TraceBuilder().segment(0, {{8, BlockState::active_allocated}, {4, BlockState::active_allocated}}).build();
    EXPECT_EQ(snapshot->devices[0].initial_count, 1U);
    ASSERT_EQ(snapshot->devices[0].actions.size(), 1U);
    EXPECT_EQ(test::values_of(snapshot->devices[0].allocations.address), (std::vector<std::uint64_t>{8, 0}));
}

TEST(Collect, TakesBlocksThatWaitForAnotherStream) {
    // The block at 0 was freed before the first event. The block at 8 was freed by an event but allocated before the
    // recording. The block at 100 was allocated by an event, and the request to free it was not recorded.
    const auto snapshot = TraceBuilder()
                              .event(Action::free_requested, 8, 4)
                              .alloc(100, 2)
                              .segment(0, {{8, BlockState::active_pending_free}, {4, BlockState::active_pending_free}})
                              .segment(100, {{2, BlockState::active_pending_free}})
                              .build();
    const AllocationColumns& all = snapshot->devices[0].allocations;
    EXPECT_EQ(test::values_of(all.address), (std::vector<std::uint64_t>{8, 0, 100}));
    EXPECT_EQ(all.origin, (std::vector{Origin::standing, Origin::standing, Origin::alloc}));
    EXPECT_EQ(all.state, std::vector(3, AllocationState::awaiting_free));
    const Timeline timeline = test::lay_out(snapshot);
    EXPECT_EQ(timeline.peak_bytes(), 14U);
    const std::vector<PendingSpan> waits = pending_frees(timeline);
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_EQ(waits[0].id, AllocationId{1});
    EXPECT_EQ(waits[0].request, EventId::none());
    EXPECT_EQ(waits[1].id, AllocationId{0});
    EXPECT_EQ(waits[1].request, EventId{0});
    EXPECT_EQ(waits[1].to_event, 2U);
}

}  // namespace
}  // namespace snapviewer
