#include "core/timeline/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

namespace snapviewer {
namespace {

constexpr double k_kib = 1024;
constexpr double k_axis_mib = 1024 * k_kib;
constexpr double k_gib = 1024 * k_axis_mib;

std::vector<std::string> labels(const std::vector<AxisTick>& ticks) {
    std::vector<std::string> texts;
    for (const AxisTick& tick : ticks) texts.push_back(tick.label);
    return texts;
}

using Texts = std::vector<std::string>;

/// Parses a label: the sum of numbers with digit grouping, each followed by a unit.
double value_of(const std::string& label, const std::map<std::string, double>& units) {
    std::string text;
    for (const char c : label) {
        if (c != ',') text += c;
    }
    double sum = 0;
    for (const char* at = text.c_str(); *at != '\0';) {
        char* after = nullptr;
        const double number = std::strtod(at, &after);
        EXPECT_NE(after, at) << label;
        if (after == at) return -1;
        while (*after == ' ') ++after;
        std::string unit;
        while (std::isalpha(static_cast<unsigned char>(*after)) != 0) unit += *after++;
        while (*after == ' ') ++after;
        EXPECT_TRUE(unit.empty() || units.contains(unit)) << label;
        sum += number * (unit.empty() ? 1 : units.at(unit));
        at = after;
    }
    return sum;
}

const std::map<std::string, double> k_memory_units = {
    {"B", 1}, {"KiB", k_kib}, {"MiB", k_axis_mib}, {"GiB", k_gib}, {"TiB", 1024 * k_gib}};
const std::map<std::string, double> k_time_units = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"min", 60e6}, {"h", 3600e6}};

using MakeTicks = std::vector<AxisTick> (*)(double, double, double, double);

/// Checks random ranges between `narrowest` and `widest`: the ticks lie in the range and in order, their number is
/// reasonable, all labels differ, and each label equals the value of its tick.
void check_random_ranges(MakeTicks make, double narrowest, double widest, double farthest,
                         const std::map<std::string, double>& units) {
    std::mt19937 random(21);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < 20'000; ++i) {
        const double range = narrowest * std::pow(widest / narrowest, uniform(random));
        const double begin = std::max(0.0, farthest - range) * uniform(random) - (i % 7 == 0 ? range / 3 : 0);
        const double end = begin + range;
        const std::vector<AxisTick> ticks = make(begin, end, 1000, 80);
        ASSERT_GE(ticks.size(), 3U) << begin << ":" << end;
        ASSERT_LE(ticks.size(), 14U) << begin << ":" << end;
        std::set<std::string> texts;
        for (std::size_t t = 0; t < ticks.size(); ++t) {
            ASSERT_GE(ticks[t].value, std::max(begin, 0.0));
            ASSERT_LE(ticks[t].value, end);
            ASSERT_TRUE(t == 0 || ticks[t].value > ticks[t - 1].value);
            ASSERT_TRUE(texts.insert(ticks[t].label).second) << ticks[t].label << " twice in " << begin << ":" << end;
            ASSERT_NEAR(value_of(ticks[t].label, units), ticks[t].value, 1e-3) << ticks[t].label;
            ASSERT_LE(ticks[t].label.size(), 22U) << ticks[t].label;
        }
    }
}

TEST(AxisTicks, MemoryMarksOfSmallPictures) {
    EXPECT_EQ(labels(memory_ticks(0, 2 * k_gib, 400, 100)), (Texts{"0", "0.5 GiB", "1.0 GiB", "1.5 GiB", "2.0 GiB"}));
    EXPECT_EQ(labels(memory_ticks(0, 400, 400, 100)), (Texts{"0", "128 B", "256 B", "384 B"}));
}

TEST(AxisTicks, MemoryMarksDeepInABigPicture) {
    EXPECT_EQ(labels(memory_ticks(178 * k_gib, 178 * k_gib + 4 * k_axis_mib, 400, 100)),
              (Texts{"182,272 MiB", "182,273 MiB", "182,274 MiB", "182,275 MiB", "182,276 MiB"}));
    EXPECT_EQ(labels(memory_ticks(178 * k_gib + 1, 178 * k_gib + 65, 300, 100)),
              (Texts{"191,126,044,704 B", "191,126,044,736 B"}));
}

TEST(AxisTicks, MemoryMarksOfAnyRange) { check_random_ranges(memory_ticks, 64, 0x1p40, 0x1p40, k_memory_units); }

TEST(AxisTicks, MemoryMarksAt178GigabytesInWindowsOf64Bytes) {
    for (int i = 0; i < 1000; ++i) {
        const double begin = 178e9 + 13.7 * i;
        const auto ticks = memory_ticks(begin, begin + 64, 800, 80);
        ASSERT_GE(ticks.size(), 7U);
        for (const AxisTick& tick : ticks) EXPECT_EQ(std::fmod(tick.value, 8), 0);
    }
}

TEST(AxisTicks, MarksStayAtTheirValuesWhilePanning) {
    const auto before = memory_ticks(1000 * k_axis_mib, 1100 * k_axis_mib, 1000, 100);
    const auto after = memory_ticks(1001 * k_axis_mib, 1101 * k_axis_mib, 1000, 100);
    for (const AxisTick& tick : before) {
        if (tick.value < 1001 * k_axis_mib) continue;
        const auto same = std::ranges::find(after, tick.value, &AxisTick::value);
        ASSERT_NE(same, after.end());
        EXPECT_EQ(same->label, tick.label);
    }
}

TEST(AxisTicks, StepMarks) {
    EXPECT_EQ(labels(step_ticks(0, 20'000, 400, 100)), (Texts{"0", "5,000", "10,000", "15,000", "20,000"}));
    EXPECT_EQ(labels(step_ticks(1'181'180.5, 1'181'184.5, 400, 100)),
              (Texts{"1,181,181", "1,181,182", "1,181,183", "1,181,184"}));
    check_random_ranges(step_ticks, 13, 0x1p40, 0x1p40, {});
}

TEST(AxisTicks, TimeMarks) {
    EXPECT_EQ(labels(time_ticks(0, 4000, 400, 100)), (Texts{"0", "1 ms", "2 ms", "3 ms", "4 ms"}));
    EXPECT_EQ(labels(time_ticks(100e6, 100e6 + 4, 400, 100)),
              (Texts{"100,000.000 ms", "100,000.001 ms", "100,000.002 ms", "100,000.003 ms", "100,000.004 ms"}));
    EXPECT_EQ(labels(time_ticks(90e6, 210e6, 400, 100)),
              (Texts{"1 min 30 s", "2 min 00 s", "2 min 30 s", "3 min 00 s", "3 min 30 s"}));
    EXPECT_EQ(labels(time_ticks(0, 2 * 3600e6, 400, 100)), (Texts{"0", "30 min", "1 h 00 min", "1 h 30 min", "2 h 00 min"}));
    check_random_ranges(time_ticks, 13, 1e12, 1e12, k_time_units);
}

TEST(AxisTicks, NonsenseGivesNoMarks) {
    EXPECT_TRUE(memory_ticks(5, 5, 100, 10).empty());
    EXPECT_TRUE(memory_ticks(0, 5, 0, 10).empty());
    EXPECT_TRUE(step_ticks(0, std::nan(""), 100, 10).empty());
    EXPECT_TRUE(time_ticks(0, 1e300, 100, 10).empty());
}

TEST(ClockTicksTest, LieAtRoundTimesOfDay) {
    // 2026-11-20 23:57:04.123456 is 1795219024.123456 s after the epoch (date -u +%s).
    const std::int64_t start_us = 1'795'219'024'123'456;
    const auto ticks = clock_ticks(0, 1'000'000, start_us, 1000, 200);
    ASSERT_EQ(ticks.size(), 5U);
    EXPECT_EQ(ticks[0].label, "23:57:04.2");
    EXPECT_DOUBLE_EQ(ticks[0].value, 76'544);
    EXPECT_EQ(ticks[4].label, "23:57:05.0");
    const auto minutes = clock_ticks(0, 200'000'000, start_us, 1000, 290);
    ASSERT_EQ(minutes.size(), 3U);
    EXPECT_EQ(minutes[0].label, "23:58:00");
    EXPECT_DOUBLE_EQ(minutes[0].value, 55'876'544);
    EXPECT_EQ(minutes[2].label, "00:00:00") << "the next day";
}

TEST(ClockTicksTest, NothingBeforeTheEpochOrTheLeftEdge) {
    EXPECT_TRUE(clock_ticks(0, 100, -5, 1000, 100).empty());
    for (const AxisTick& tick : clock_ticks(-5000, 5000, 1'000'000'123, 1000, 100)) EXPECT_GE(tick.value, 0);
}

}  // namespace
}  // namespace snapviewer
