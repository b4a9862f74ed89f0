#include "tests/unit/linux/failing_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/doors.h"

namespace snapviewer::failing_memory_test {
namespace {

constexpr std::int64_t k_each_of_the_first = 150;
constexpr std::int64_t k_steps_in_which_n_doubles = 8;

/// std::filesystem::path of GCC 12 leaks a block if it runs out of memory while it parses a path.
constexpr std::int64_t k_max_leaks_of_libraries = 2;

/// True for errors that a lack of memory may cause. A thread that cannot be started for lack of memory for its stack is an
/// error of the environment.
bool is_lack_of_memory(ErrorCode code) {
    return code == ErrorCode::memory || code == ErrorCode::unsupported || code == ErrorCode::environment;
}

/// Makes many allocations of each door fail, one per run, in the order in which the work makes them.
TEST(FailingMemory, IsAnErrorAtEveryDoor) {
    if (!test::can_fail_allocations()) GTEST_SKIP() << "sanitizers have an allocator of their own";
    for (const test::Door& door : test::doors()) {
        if (door.makes_json) continue;
        SCOPED_TRACE(door.name);
        std::int64_t allocations = 0;
        const auto enter = [&](std::int64_t n) {
            Progress progress;
            Result<std::string> outcome = Error{ErrorCode::bad_file, "an exception came through the door"};
            const test::FailingAllocation failing(n);
            try {
                outcome = door.enter(progress);
            } catch (const std::exception&) {
            }
            allocations = failing.count();
            return outcome;
        };
        const Result<std::string> expected = enter(0);  // also fills the caches
        ASSERT_TRUE(expected) << expected.error().text();
        ASSERT_EQ(*enter(0), *expected);
        const std::int64_t count = allocations;
        std::int64_t failures = 0, leaks = 0;
        for (std::int64_t n = 1; n <= count; n += n < k_each_of_the_first ? 1 : n / k_steps_in_which_n_doubles) {
            const std::int64_t before = test::live_blocks();
            {
                const Result<std::string> outcome = enter(n);
                failures += outcome ? 0 : 1;
                if (outcome) {
                    EXPECT_EQ(*outcome, *expected) << "allocation " << n << " of " << count;
                } else {
                    EXPECT_TRUE(is_lack_of_memory(outcome.error().code))
                        << "allocation " << n << " of " << count << ": " << outcome.error().text();
                }
            }
            if (HasFailure() || test::live_blocks() <= before) continue;
            // The failed run may have filled a cache, so only a second increase counts as a leak.
            const std::int64_t filled = test::live_blocks();
            (void)enter(n);
            leaks += test::live_blocks() > filled ? 1 : 0;
        }
        EXPECT_GT(failures, 0);
        EXPECT_LE(leaks, k_max_leaks_of_libraries);
    }
}

}  // namespace
}  // namespace snapviewer::failing_memory_test
