#include <gtest/gtest.h>

#include "tests/unit/query_fixture.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

TEST(QueryDerived, ListsFreesThatHadToWait) {
    // A (100 bytes) is released at event 1 and its memory is free again at event 3, at the tick of step 3; B's free is never
    // completed.
    const auto snapshot = test::TraceBuilder()
                              .alloc(0xa, 100)
                              .event(Action::free_requested, 0xa, 100)
                              .alloc(0xb, 50)
                              .event(Action::free_completed, 0xa, 100)
                              .event(Action::free_requested, 0xb, 50)
                              .build();
    const auto database = query::Database::create(snapshot, test::make_timelines(snapshot));
    ASSERT_TRUE(database.ok());
    EXPECT_EQ(test::rows_of(**database, "SELECT * FROM pending_frees"),
              "0|0|100|1|3|0|3|1000020|1000040\n"
              "1|0|50|4|-|6|-|1000050|-");
}

TEST(QueryDerived, RangesBeginAndEndAtTheNextAllocOrFree) {
    // A is allocated in step 0 (at 10 us), B in step 1 (20 us), A is freed in step 2 (40 us) and B slides down until step 6;
    // C is allocated in step 6 (50 us) and freed in step 7 (70 us); step 8 is the last.
    test::TraceBuilder trace;
    trace.alloc(1, 100).alloc(2, 30).free(1, 100).alloc(3, 7).free(3, 7);
    const auto add = [&](const char* name, std::int64_t from_us, std::int64_t to_us) {
        trace.annotation(name, "START", 1'000'000 + from_us).annotation(name, "END", 1'000'000 + to_us);
    };
    add("before", 1, 2);
    add("first two", 3, 21);
    add("free of a", 22, 41);
    add("c at its alloc and its free", 50, 70);
    add("free of c", 51, 71);
    add("after", 72, 73);
    const auto snapshot = trace.annotation("open", "START", 1'000'045).build();
    const auto database = query::Database::create(snapshot, test::make_timelines(snapshot));
    ASSERT_TRUE(database.ok());
    EXPECT_EQ(test::rows_of(**database, "SELECT name, start_step, end_step FROM ranges"),
              "before|0|0\n"
              "first two|0|2\n"
              "free of a|2|6\n"
              "open|6|-\n"
              "c at its alloc and its free|6|7\n"
              "free of c|7|8\n"
              "after|8|8");
}

}  // namespace
}  // namespace snapviewer
