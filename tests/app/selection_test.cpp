#include "app/features/selection/selection.h"

#include "tests/app/opened_sample.h"

namespace snapviewer::selection_test {
namespace {

using test::OpenedSample;

TEST(Selection, AnAllocationIsSelectedUntilItIsCleared) {
    OpenedSample opened;
    EXPECT_FALSE(opened.session.has_selection());
    opened.selection.select(AllocationId{5});
    EXPECT_EQ(opened.session.selected(), AllocationId{5});
    opened.selection.clear();
    EXPECT_FALSE(opened.session.has_selection());
}

TEST(Selection, WhatIsRevealedIsSelectedAndInView) {
    OpenedSample opened;
    DeviceState& device = opened.session.current_device();
    const double whole = device.view.x_end - device.view.x_begin;
    device.view = {device.view.x_begin, device.view.x_begin + whole / 100, 0, 1};
    const AllocationId last{static_cast<std::uint32_t>(opened.session.current_timeline()->allocation_count() - 1)};
    opened.selection.reveal(last);
    EXPECT_EQ(opened.session.selected(), last);
    const auto start = static_cast<double>(opened.session.current_timeline()->start_step(last));
    EXPECT_LE(device.view.x_begin, start);
    EXPECT_GE(device.view.x_end, start);
}

TEST(Selection, WhatTheFileDoesNotHaveIsNotRevealed) {
    OpenedSample opened;
    const auto count = static_cast<std::uint32_t>(opened.session.current_timeline()->allocation_count());
    opened.selection.reveal(AllocationId{count});
    opened.selection.follow({.allocation_row = std::int64_t{count} + 1'000'000});
    opened.selection.follow({.allocs_index = -1});
    EXPECT_FALSE(opened.session.has_selection());
}

TEST(Selection, ARowOfAQueryLeadsToItsAllocation) {
    OpenedSample opened;
    opened.selection.follow({.allocation_row = 7});
    EXPECT_EQ(opened.session.selected(), AllocationId{7});  // the sample has one device
    opened.selection.follow({.allocs_index = 3});
    EXPECT_EQ(opened.session.selected(), AllocationId{3});
}

TEST(Selection, AStackStandsOutUntilTheSearchIsClosed) {
    OpenedSample opened;
    const auto& allocations = opened.session.current_timeline()->trace().allocations;
    const StackId stack = allocations.stack[0];
    opened.selection.highlight(stack);
    ASSERT_NE(opened.session.highlight.allocations, nullptr);
    EXPECT_EQ(opened.session.highlight.stack(), stack);
    for (std::uint32_t i = 0; i < allocations.size(); ++i)
        EXPECT_EQ(opened.session.highlight.allocations->contains(AllocationId{i}), allocations.stack[i] == stack) << i;
    opened.selection.close_search();
    EXPECT_EQ(opened.session.highlight.allocations, nullptr);
}

TEST(Selection, HitsFollowOneAnotherInACircle) {
    OpenedSample opened;
    const StackId stack = opened.session.current_timeline()->trace().allocations.stack[0];
    opened.selection.highlight(stack);
    opened.selection.go_to_hit(true);
    const AllocationId first = opened.session.selected();
    opened.selection.go_to_hit(false);
    opened.selection.go_to_hit(true);
    EXPECT_EQ(opened.session.selected(), first);
}

}  // namespace
}  // namespace snapviewer::selection_test
