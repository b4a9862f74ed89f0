#include <gtest/gtest.h>

#include "tests/unit/query_fixture.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

TEST(QueryDerived, ListsFreesThatHadToWait) {
    // A (100) is released at event 1 and given back at event 3, at the tick of step 3; B is never given back.
    const auto snapshot = testing::TraceBuilder()
                              .alloc(0xa, 100)
                              .event(Action::free_requested, 0xa, 100)
                              .alloc(0xb, 50)
                              .event(Action::free_completed, 0xa, 100)
                              .event(Action::free_requested, 0xb, 50)
                              .build();
    const auto database = Database::create(snapshot, test::make_timelines(snapshot));
    ASSERT_TRUE(database.ok());
    EXPECT_EQ(test::rows_of(**database, "SELECT * FROM pending_frees"),
              "0|0|100|0|3|1000020|1000040\n"
              "1|0|50|6|-|1000050|-");
}

}  // namespace
}  // namespace snapviewer
