#include "core/trace/snapshot.h"

#include <gtest/gtest.h>

#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

constexpr std::int64_t k_start_us = 1'760'000'000'000'000;
constexpr std::int64_t k_hour_us = std::int64_t{3600} * 1'000'000;
constexpr std::int64_t k_year_us = 365 * 24 * k_hour_us;

using Times = std::vector<std::int64_t>;

/// Times of `count` events that are 10 us apart.
Times steady(std::size_t count) {
    Times times;
    for (std::size_t i = 0; i < count; ++i) times.push_back(k_start_us + 10 * static_cast<std::int64_t>(i));
    return times;
}

struct Mended {
    Times times;
    std::vector<std::string> codes;
};

Mended mended(const Times& times) {
    Snapshot snapshot;
    DeviceTrace& trace = snapshot.devices.emplace_back();
    for (const std::int64_t time_us : times) trace.events.push({.action = Action::alloc, .time_us = time_us});
    repair_clocks(snapshot);
    Mended found{trace.events.time_us, {}};
    for (const ImportEntry& entry : snapshot.log.entries()) found.codes.emplace_back(entry.code);
    return found;
}

TEST(Clock, ThatRunsEvenlyIsLeftAlone) {
    EXPECT_EQ(mended(steady(100)).times, steady(100));
    EXPECT_TRUE(mended(steady(100)).codes.empty());
}

TEST(Clock, ThatIsSetBackCountsOnFromTheJump) {
    for (const std::int64_t back_us : {k_hour_us, std::int64_t{200}}) {
        Times times = steady(80);
        for (std::size_t i = 40; i < 80; ++i) times[i] -= back_us;
        Times expected = steady(80);
        for (std::size_t i = 40; i < 80; ++i) expected[i] -= 10;  // the time between events 39 and 40 is unknown
        const Mended found = mended(times);
        EXPECT_EQ(found.times, expected);
        EXPECT_EQ(found.codes, std::vector<std::string>{"clock_set_back"});
    }
}

TEST(Clock, ThatIsSetBackTwiceCountsOnFromBothJumps) {
    Times times = steady(120);
    for (std::size_t i = 40; i < 120; ++i) times[i] -= i < 80 ? k_hour_us : 3 * k_hour_us;
    const Mended found = mended(times);
    EXPECT_EQ(found.times.back() - found.times.front(), 10 * 117);
    EXPECT_TRUE(std::ranges::is_sorted(found.times));
}

TEST(Clock, WithoutATimeForAWhileGoesOnAfterwards) {
    Times times = steady(100);
    for (std::size_t i = 30; i < 60; ++i) times[i] = 0;
    const Mended found = mended(times);
    EXPECT_EQ(found.times[59], found.times[29]);
    EXPECT_EQ(found.times[60], times[60]);
}

class StrayTime : public ::testing::TestWithParam<std::size_t> {};

TEST_P(StrayTime, IsDropped) {
    for (const std::int64_t stray_us : {std::int64_t{0}, k_start_us + 10 * k_year_us, k_start_us - 10 * k_year_us}) {
        Times times = steady(82);
        times[GetParam()] = stray_us;
        Times expected = steady(82);
        expected[GetParam()] = k_no_time;
        const Mended found = mended(times);
        EXPECT_EQ(found.times, expected) << stray_us;
        EXPECT_EQ(found.codes, std::vector<std::string>{"stray_times"}) << stray_us;
    }
}

INSTANTIATE_TEST_SUITE_P(Anywhere, StrayTime, ::testing::Values(0, 1, 40, 80, 81));

TEST(Clock, OfWhichTimesAreALittleOutOfOrderIsLeftAlone) {
    Times times = steady(10'000);
    for (std::size_t i = 100; i + 1 < times.size(); i += 500) std::swap(times[i], times[i + 1]);
    EXPECT_EQ(mended(times).times, times);
    EXPECT_TRUE(mended(times).codes.empty());
}

TEST(Clock, ThatStoodStillForDaysIsLeftAlone) {
    Times times = steady(100);
    for (std::size_t i = 50; i < 100; ++i) times[i] += 3 * 24 * k_hour_us;
    EXPECT_EQ(mended(times).times, times);
}

TEST(Clock, ThatIsNoneIsLeftAlone) {
    Times times;
    for (std::int64_t i = 1; i < 300; ++i) times.push_back((i % 2) << 58);
    EXPECT_EQ(mended(times).times, times);
    EXPECT_TRUE(mended(times).codes.empty());
}

TEST(Clock, TakesAnnotationsAlong) {
    test::TraceBuilder builder;
    for (std::uint64_t i = 0; i < 80; ++i) {
        const std::int64_t back_us = i < 40 ? 0 : k_hour_us;
        builder.alloc(4096 * (i + 1), 512).at_time(k_start_us + 10 * static_cast<std::int64_t>(i) - back_us);
    }
    builder.annotation("step", "START", k_start_us + 105).annotation("step", "END", k_start_us + 505 - k_hour_us);
    repair_clocks(builder.raw());
    EXPECT_EQ(builder.raw().annotations[0].time_us, k_start_us + 105);
    EXPECT_EQ(builder.raw().annotations[1].time_us, k_start_us + 495);
}

}  // namespace
}  // namespace snapviewer
