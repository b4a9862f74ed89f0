#include "app/features/timeline/timeline_axis.h"

#include <gtest/gtest.h>

#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::TraceBuilder;

constexpr View k_everything{0, 1000, 0, 1e6};

/// A timeline with a (100 bytes) and b (50 bytes) on top of it: b's free is requested, a is freed below b, c is allocated,
/// and b's free is completed.
Timeline timeline() {
    TraceBuilder trace;
    trace.alloc(0x1000, 100).alloc(0x2000, 50);
    trace.event(Action::free_requested, 0x2000, 50);
    trace.free(0x1000, 100);
    trace.alloc(0x3000, 20);
    trace.event(Action::free_completed, 0x2000, 50);
    trace.alloc(0x4000, 10);
    return test::lay_out(trace.build());
}

std::vector<PendingFree> pending_of_b() { return {{AllocationId{1}, {2, 0}, {7, 0}}}; }

TEST(PendingPiecesTest, FollowTheBlockDown) {
    const Timeline t = timeline();
    ASSERT_EQ(t.step_of_tick(3), 3U) << "the free of a, after the left edge and two allocs";
    const auto pieces = pending_pieces(t, {{AllocationId{1}, {2.5, 0}, {8, 0}}}, Axis::steps, k_everything, 0);
    ASSERT_EQ(pieces.size(), 3U);
    EXPECT_EQ(pieces[0], (PendingPiece{2.5, 3, 100, 100, 50})) << "on a";
    EXPECT_EQ(pieces[1], (PendingPiece{3, 6, 100, 0, 50})) << "the slide of three steps";
    EXPECT_EQ(pieces[2], (PendingPiece{6, 8, 0, 0, 50})) << "on the ground";
}

TEST(PendingPiecesTest, AViewMayBeginInASlide) {
    const auto pieces = pending_pieces(timeline(), pending_of_b(), Axis::steps, {4.5, 5.25, 0, 1e6}, 0);
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces[0], (PendingPiece{4.5, 5.25, 50, 25, 50})) << "half way and three quarters of the way down";
}

TEST(PendingPiecesTest, OnlyWhatIsInViewAndWide) {
    const Timeline t = timeline();
    EXPECT_TRUE(pending_pieces(t, pending_of_b(), Axis::steps, {8, 20, 0, 1e6}, 0).empty());
    EXPECT_TRUE(pending_pieces(t, pending_of_b(), Axis::steps, {0, 20, 500, 1e6}, 0).empty());
    EXPECT_TRUE(pending_pieces(t, pending_of_b(), Axis::steps, k_everything, 5.5).empty());
    EXPECT_FALSE(pending_pieces(t, pending_of_b(), Axis::steps, k_everything, 4.5).empty());
}

}  // namespace
}  // namespace snapviewer
