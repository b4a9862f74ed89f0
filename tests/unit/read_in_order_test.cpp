#include "core/fleet/read_in_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace snapviewer {
namespace {

constexpr std::size_t k_files = 500;  // more files than the workers may read ahead
constexpr std::size_t k_workers = 4;

fleet::InOrderReader<std::size_t> reader_of(std::function<std::size_t(std::size_t file, Progress& progress)> read) {
    return {{.count = k_files, .estimated_bytes = [](std::size_t) { return 0; }, .read = std::move(read)}, k_workers};
}

std::size_t file_itself(std::size_t file, Progress&) { return file; }

TEST(InOrderReader, HandsOverInOrder) {
    auto reader = reader_of(file_itself);
    std::vector<std::size_t> taken;
    reader.run([&](std::size_t file, std::size_t outcome) {
        EXPECT_EQ(outcome, file);
        taken.push_back(file);
    });
    ASSERT_EQ(taken.size(), k_files);
    EXPECT_TRUE(std::ranges::is_sorted(taken));
}

TEST(InOrderReader, ReadsInTheContextOfTheFile) {
    auto reader = reader_of([](std::size_t file, Progress& own) {
        EXPECT_EQ(Context::current().progress, &own);
        return file;
    });
    reader.run([](std::size_t, std::size_t) { EXPECT_EQ(Context::current().progress, nullptr); });
}

TEST(InOrderReader, EndsIfTheCallerThrows) {
    auto reader = reader_of(file_itself);
    std::size_t taken = 0;
    const Status read = caught([&] {
        reader.run([&](std::size_t, std::size_t) {
            if (++taken == 3) throw Failure{{ErrorCode::io, "full"}};
        });
    });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::io);
    EXPECT_EQ(taken, 3U);
}

TEST(InOrderReader, EndsIfAFileThrows) {
    auto reader = reader_of([](std::size_t file, Progress&) {
        if (file == 7) throw std::bad_alloc();
        return file;
    });
    std::size_t taken = 0;
    const Status read = caught([&] { reader.run([&](std::size_t, std::size_t) { ++taken; }); });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::memory);
    EXPECT_EQ(taken, 7U);
}

TEST(InOrderReader, ReadsAloneWhatLackedMemoryBesideOthers) {
    constexpr std::int64_t k_held_bytes = limits::k_base_memory_bytes / 2 + 1;
    constexpr std::size_t k_lacked = 99;
    std::atomic<bool> is_held{false};
    std::atomic<bool> was_refused{false};
    fleet::InOrderReader<std::size_t> reader({.count = 2,
                                              .estimated_bytes = [](std::size_t) { return 0; },
                                              .read = [&](std::size_t file, Progress& own) -> std::size_t {
                                                  if (file == 0) {
                                                      EXPECT_TRUE(own.budget().account().charge(k_held_bytes));
                                                      is_held = true;
                                                      while (!was_refused) check_stop();
                                                      return file;
                                                  }
                                                  while (!is_held) check_stop();
                                                  if (own.budget().account().charge(k_held_bytes)) return file;
                                                  was_refused = true;
                                                  return k_lacked;
                                              }},
                                             2);
    reader.retry_alone_if([](const std::size_t& outcome) { return outcome == k_lacked; });
    std::vector<std::size_t> outcomes;
    reader.run([&](std::size_t, std::size_t outcome) { outcomes.push_back(outcome); });
    EXPECT_TRUE(was_refused);
    EXPECT_EQ(outcomes, (std::vector<std::size_t>{0, 1}));
}

TEST(InOrderReader, ReadsNoFileMoreThanTwice) {
    std::atomic<int> times{0};
    fleet::InOrderReader<std::size_t> reader({.count = 3,
                                              .estimated_bytes = [](std::size_t) { return 0; },
                                              .read = [&](std::size_t file, Progress&) { return ++times, file; }},
                                             2);
    reader.retry_alone_if([](const std::size_t&) { return true; });
    std::vector<std::size_t> outcomes;
    reader.run([&](std::size_t, std::size_t outcome) { outcomes.push_back(outcome); });
    EXPECT_EQ(outcomes, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(times, 6);
}

TEST(InOrderReader, StopsTheFilesInWork) {
    Progress progress;
    auto reader = reader_of([&](std::size_t file, Progress&) {
        if (file == 20) progress.request_stop();
        if (file >= 20) {
            for (;;) check_stop();
        }
        return file;
    });
    const Status read = caught(&progress, [&] { reader.run([](std::size_t, std::size_t) {}); });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace snapviewer
