#include "core/base/columns.h"

#include <gtest/gtest.h>

#include "core/trace/snapshot.h"
#include "tests/unit/column_values.h"

namespace snapviewer {
namespace {

EventRow event(std::uint64_t number) {
    return {Action::oom,
            number,
            number + 1,
            static_cast<std::uint16_t>(number + 2),
            static_cast<std::uint16_t>(number + 3),
            static_cast<std::int64_t>(number + 4),
            StackId{static_cast<std::uint32_t>(number + 5)},
            MetadataId{static_cast<std::uint32_t>(number + 6)}};
}

TEST(Columns, KeepEachFieldOfEachRow) {
    EventColumns events;
    events.reserve(3);
    EXPECT_GE(events.stack.capacity(), 3U);
    for (const std::uint64_t number : {100U, 200U, 300U}) events.push(event(number));
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(test::values_of(events.address), (std::vector<std::uint64_t>{100, 200, 300}));
    EXPECT_EQ(events.time_us, (std::vector<std::int64_t>{104, 204, 304}));
    EXPECT_EQ(events.row(1).fields(), event(200).fields());
}

TEST(Columns, SliceTakesTheSameRowsOfAllColumns) {
    EventColumns events;
    for (const std::uint64_t number : {100U, 200U, 300U, 400U}) events.push(event(number));
    const EventColumns part = events.slice(1, 2);
    ASSERT_EQ(part.size(), 2U);
    EXPECT_EQ(part.row(0).fields(), event(200).fields());
    EXPECT_EQ(part.row(1).fields(), event(300).fields());
    EXPECT_EQ(part.metadata.size(), 2U);
    EXPECT_EQ(events.slice(4, 0).size(), 0U);
}

}  // namespace
}  // namespace snapviewer
