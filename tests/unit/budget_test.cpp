#include "core/base/budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/job.h"
#include "core/system/processes.h"

namespace snapviewer::budget_test {
namespace {

using namespace limits;

constexpr std::uint64_t k_budget_mib = 1 << 20;

std::uint64_t plenty() { return std::uint64_t{1} << 50; }
std::uint64_t nothing() { return 0; }

/// A budget to which one file of `file_bytes` was added.
struct FileBudget : Budget {
    explicit FileBudget(std::uint64_t file_bytes, Ask available = plenty, Ask held = nothing) : Budget(available, held) {
        add_file(file_bytes);
    }
};

TEST(Budget, UnpacksAFixedPartAndAMultiple) {
    FileBudget budget(3 * k_budget_mib);
    const std::uint64_t most = k_base_unpacked_bytes + 3 * k_budget_mib * k_unpacked_ratio;
    EXPECT_TRUE(budget.unpack(most));
    const Status beyond = budget.unpack(1);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().code, ErrorCode::unsupported);
    EXPECT_NE(beyond.error().message.find("221 "), std::string::npos) << beyond.error().message;
}

TEST(Budget, DensePackersMayUnpackToMore) {
    FileBudget budget(k_budget_mib);
    budget.expect_dense_packing();
    EXPECT_TRUE(budget.unpack(k_base_unpacked_bytes + k_budget_mib * k_dense_unpacked_ratio));
    EXPECT_FALSE(budget.unpack(1));
}

TEST(Budget, MemoryGrowsWithTheLargerOfTheFileAndWhatWasUnpacked) {
    FileBudget budget(k_budget_mib);
    EXPECT_EQ(budget.account().limit_bytes(), k_base_memory_bytes + k_budget_mib * k_memory_per_input_byte);
    EXPECT_TRUE(budget.unpack(k_budget_mib / 2));
    EXPECT_EQ(budget.account().limit_bytes(), k_base_memory_bytes + k_budget_mib * k_memory_per_input_byte);
    EXPECT_TRUE(budget.unpack(k_budget_mib));
    EXPECT_EQ(budget.account().limit_bytes(), k_base_memory_bytes + k_budget_mib * 3 / 2 * k_memory_per_input_byte);
}

TEST(Budget, MembersOfAGroupShareTheFixedPart) {
    Budget group(plenty, nothing);
    Budget first(plenty, nothing);
    first.join(group);
    first.add_file(k_budget_mib);
    {
        Budget second(plenty, nothing);
        second.join(group);
        second.add_file(2 * k_budget_mib);
        EXPECT_TRUE(second.unpack(4 * k_budget_mib));
        EXPECT_EQ(group.account().limit_bytes(), k_base_memory_bytes + 5 * k_budget_mib * k_memory_per_input_byte);
        EXPECT_TRUE(second.account().charge(k_base_memory_bytes));
        EXPECT_TRUE(first.account().charge(5 * k_budget_mib * k_memory_per_input_byte));
        EXPECT_FALSE(first.account().charge(1)) << "the fixed part is in use";
        EXPECT_EQ(first.account().held_bytes(), 5 * k_budget_mib * k_memory_per_input_byte);
        EXPECT_FALSE(first.account().is_exceeded()) << "the limit of the first job itself is higher";
    }
    EXPECT_EQ(group.account().held_bytes(), first.account().held_bytes()) << "the second job has given back all";
    EXPECT_EQ(group.account().limit_bytes(), k_base_memory_bytes + k_budget_mib * k_memory_per_input_byte);
}

TEST(Budget, ForeseesWhatDoesNotFit) {
    FileBudget budget(k_budget_mib, [] { return 100 * k_budget_mib; });
    EXPECT_TRUE(budget.check_estimate(100 * k_budget_mib));
    const Status beyond = budget.check_estimate(100 * k_budget_mib + 1);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().code, ErrorCode::memory);
    EXPECT_NE(beyond.error().message.find(" 100.0 MiB "), std::string::npos) << beyond.error().message;
}

#ifndef SNAPVIEWER_UNCHARGED_NEW  // with sanitizers there is no deadline

TEST(Budget, HasTimeAsLongAsThereIsSomethingToRead) {
    FileBudget budget(2 * k_budget_mib);
    budget.spend(k_base_time_ns + 2 * k_budget_mib * k_time_ns_per_input_byte);
    EXPECT_FALSE(budget.is_late());
    budget.spend(1);
    EXPECT_TRUE(budget.is_late());
    EXPECT_TRUE(budget.unpack(k_budget_mib));
    EXPECT_FALSE(budget.is_late()) << "there is more to read now";
    EXPECT_EQ(budget.late_error().code, ErrorCode::unsupported);
}

TEST(Budget, WorkEndsWhenItsThreadsHaveSpentTheTime) {
    Progress progress;
    progress.budget().add_file(1);
    const Status status = caught(&progress, [] {
        start_async([] {
            for (;;) check_stop();
        }).get();
    });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::unsupported);
    EXPECT_FALSE(caught(&progress, [] { check_stop(); })) << "nothing more is begun";
}

#endif

TEST(Budget, SumsBeyondSixtyFourBitsAreNoWayAround) {
    FileBudget large(~0ULL / 2);
    EXPECT_TRUE(large.unpack(~0ULL / 4));
    large.spend(~0ULL / 4);
    EXPECT_FALSE(large.is_late());
}

TEST(Budget, LeavesATenthOfTheMemory) {
    static std::uint64_t held = 0;
    held = 100 * k_budget_mib;  // memory held before the load
    FileBudget budget(
        1, [] { return 1000 * k_budget_mib; }, [] { return held; });
    held = 1000 * k_budget_mib;
    EXPECT_TRUE(budget.check_memory());
    held = 1000 * k_budget_mib + 1;
    int looks = 0;
    while (budget.check_memory() && looks < 100) ++looks;
    EXPECT_LT(looks, 100);
}

TEST(Budget, KnowsWhatMemoryThereIs) {
    EXPECT_GT(available_memory_bytes(), k_budget_mib);
    const std::uint64_t before = held_memory_bytes();
    if (before == 0) GTEST_SKIP() << "this system does not tell";
    // This block is so large that it cannot reuse memory that other tests of the process have touched and freed.
    const auto room = std::make_unique_for_overwrite<char[]>(512 * k_budget_mib);
    volatile char* const touched = room.get();
    for (std::size_t i = 0; i < 64 * k_budget_mib; i += 1024) touched[i] = 'x';
    EXPECT_GE(held_memory_bytes(), before + 60 * k_budget_mib);
}

/// The same bytes always have the same hash, and changing any bit changes the hash, whatever the size.
TEST(KeyedHash, TellsBytesApart) {
    const KeyedHash hash;
    std::set<std::uint64_t> seen;
    std::size_t count = 0;
    for (std::size_t size = 0; size <= 40; ++size) {
        std::string text(size, '\0');
        EXPECT_EQ(hash(text.data(), size), KeyedHash()(std::string(text).data(), size));
        seen.insert(hash(text.data(), size));
        ++count;
        for (std::size_t bit = 0; bit < 8 * size; ++bit) {
            text[bit / 8] = static_cast<char>(1 << bit % 8);
            seen.insert(hash(text.data(), size));
            ++count;
            text[bit / 8] = 0;
        }
    }
    EXPECT_EQ(seen.size(), count);
}

/// Equidistant numbers, such as addresses, spread over the slots of a table as if at random: none of the 65,536 slots gets
/// too many.
TEST(KeyedHash, SpreadsNumbersInStep) {
    const KeyedHash hash;
    for (const std::uint64_t step : {1ULL, 512ULL, 1ULL << 20, 1ULL << 40, 0x9e3779b97f4a7c15ULL}) {
        std::vector<int> slots(1 << 16);
        for (std::uint64_t i = 0; i < slots.size(); ++i) ++slots[hash(i * step) & (slots.size() - 1)];
        EXPECT_LT(*std::ranges::max_element(slots), 256) << step;
    }
}

TEST(MemoryAccount, RefusesWhatExceedsItsLimitAndKeepsAReserveForTheError) {
    MemoryAccount account;
    account.set_limit(8 * k_budget_mib);
    EXPECT_TRUE(account.charge(6 * k_budget_mib));
    EXPECT_FALSE(account.charge(3 * k_budget_mib));
    EXPECT_EQ(account.held_bytes(), 6 * k_budget_mib) << "what was refused is not held";
    EXPECT_TRUE(account.is_exceeded());
    EXPECT_TRUE(account.charge(3 * k_budget_mib)) << "the reserve";
    EXPECT_FALSE(account.charge(1));
    EXPECT_TRUE(account.charge(-20 * static_cast<std::int64_t>(k_budget_mib)));
    EXPECT_EQ(account.held_bytes(), 0U) << "memory of another account may be freed on this one";
}

#ifndef SNAPVIEWER_UNCHARGED_NEW

TEST(MemoryAccount, ChargesEveryAllocationOfTheWork) {
    Progress progress;
    const MemoryAccount& account = progress.budget().account();
    progress.budget().add_file(1);
    std::vector<char> kept;
    std::vector<std::unique_ptr<std::string>> small;
    EXPECT_TRUE(caught(&progress, [&] {
        kept.resize(32 * k_budget_mib);
        EXPECT_GE(account.held_bytes(), 32 * k_budget_mib);
        for (int i = 0; i < 10'000; ++i) small.push_back(std::make_unique<std::string>(1000, 'x'));
    }));
    EXPECT_GE(account.held_bytes(), 32 * k_budget_mib + 10'000 * 1000 - MemoryAccount::k_unreported_bytes);
    EXPECT_TRUE(caught(&progress, [&] {
        std::vector<char>().swap(kept);
        small.clear();
    }));
    EXPECT_LE(account.held_bytes(), static_cast<std::uint64_t>(4 * MemoryAccount::k_unreported_bytes));
}

TEST(MemoryAccount, WorkBeyondItsLimitIsUnsupported) {
    Progress progress;
    progress.budget().add_file(k_budget_mib);
    std::vector<std::string> texts;
    const Status status = caught(&progress, [&] {
        for (;;) texts.emplace_back(k_budget_mib, 'x');
    });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::unsupported);
    EXPECT_LE(texts.size() * k_budget_mib, k_base_memory_bytes + k_budget_mib * k_memory_per_input_byte);
    EXPECT_GE(texts.size() * k_budget_mib, k_base_memory_bytes);
}

TEST(MemoryAccount, ThreadsOfTheWorkShareIt) {
    Progress progress;
    progress.budget().add_file(k_budget_mib);
    const Status status = caught(&progress, [&] {
        std::vector<char> kept(150 * k_budget_mib);
        start_async([] { return std::vector<char>(100 * k_budget_mib).size(); }).get();
    });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::unsupported);
}

#endif

}  // namespace
}  // namespace snapviewer::budget_test
