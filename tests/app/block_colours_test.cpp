#include "app/features/address_map/address_map.h"

#include <gtest/gtest.h>

#include "tests/unit/trace_builder.h"

namespace snapviewer::block_colours_test {
namespace {

TEST(BlockColours, AreThoseOfThePictureAndNoneWhereTheFileDoesNotTellWhoseABlockIs) {
    const Timeline timeline = test::lay_out(test::TraceBuilder().alloc(1, 100).alloc(2, 4096).build());
    const mesh::ColourGroups none;
    const mesh::AllocationColours colours(timeline, mesh::ColourBy::size, none);
    const std::vector<std::uint32_t> of_picture = mesh::allocation_colours(timeline, mesh::ColourBy::size);
    ASSERT_NE(of_picture[0], of_picture[1]);
    space::AddressMoment at;
    at.blocks = {{0x2000, 4096, AllocationId{1}, false},
                 {0x8000, 512, AllocationId::none(), false},
                 {0x9000, 512, AllocationId{0}, false}};
    EXPECT_EQ(address_map::block_colours(at, colours), (std::vector<std::uint32_t>{of_picture[1], 0, of_picture[0]}));
}

}  // namespace
}  // namespace snapviewer::block_colours_test
