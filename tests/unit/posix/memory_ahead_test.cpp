#include "core/base/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

namespace snapviewer {
namespace {

constexpr std::size_t k_rows = std::size_t{1} << 20;

/// Number of the column's pages that are resident in memory.
template <typename T>
std::size_t pages_there(const std::vector<T>& column) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(column.data()) + page - 1) / page * page;
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(column.data() + column.capacity()) / page * page;
    std::vector<unsigned char> there((end - begin) / page);
    EXPECT_EQ(mincore(reinterpret_cast<void*>(begin), end - begin, there.data()), 0);
    return static_cast<std::size_t>(std::ranges::count_if(there, [](unsigned char flags) { return (flags & 1) != 0; }));
}

TEST(MemoryAhead, PutsARoomInPlaceThatNobodyTouched) {
    std::vector<std::uint64_t> column;
    column.reserve(k_rows);
    constexpr int k_populate_write = 23;
    if (std::thread::hardware_concurrency() < 2 || madvise(nullptr, 0, k_populate_write) != 0)
        GTEST_SKIP() << "one core, or a system before Linux 5.14";
    if (pages_there(column) > 1) GTEST_SKIP() << "the memory was used before";
    MemoryAhead ahead;
    ahead.prepare(std::as_bytes(std::span(column.data(), k_rows)));
    const std::size_t all = k_rows * sizeof(column[0]) / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) - 1;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (pages_there(column) < all && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_GE(pages_there(column), all);
}

TEST(MemoryAhead, LeavesWhatIsThereAndWhatIsFilledMeanwhile) {
    std::vector<std::uint64_t> column;
    column.reserve(k_rows);
    {
        GrowthAhead<1> growth;
        for (std::uint64_t i = 0; i < k_rows; ++i) {
            if (i % 10'000 == 0) growth.prefault_growth(column);
            column.push_back(i);
        }
    }
    std::vector<std::uint64_t> expected(k_rows);
    std::iota(expected.begin(), expected.end(), std::uint64_t{0});
    EXPECT_EQ(column, expected);
}

TEST(MemoryAhead, IsNotKeptFromEndingByMemoryThatIsGone) {
    MemoryAhead ahead;
    for (int i = 0; i < 100; ++i) {
        std::vector<std::uint64_t> column;
        column.reserve(k_rows);
        ahead.prepare(std::as_bytes(std::span(column.data(), k_rows)));
    }
}

}  // namespace
}  // namespace snapviewer
