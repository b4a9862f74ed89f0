#include "core/timeline/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <vector>

namespace snapviewer {
namespace {

Curve make_curve(std::vector<AxisPlace> places, std::vector<double> values) {
    return {{"name", "name", "doc", Unit::bytes}, std::move(places), std::move(values)};
}

TEST(Curve, HoldsEachValueUntilTheNext) {
    const Curve curve = make_curve({{2, 100}, {5, 100}, {9, 400}}, {7, 1, 3});
    EXPECT_EQ(curve.at(Axis::steps, 0), 7) << "the first value before the first place";
    EXPECT_EQ(curve.at(Axis::steps, 4.9), 7);
    EXPECT_EQ(curve.at(Axis::steps, 5), 1);
    EXPECT_EQ(curve.at(Axis::steps, 1000), 3);
    EXPECT_EQ(curve.at(Axis::time, 100), 1) << "two at one moment: the later one holds";
    EXPECT_EQ(curve.lowest(), 1);
    EXPECT_EQ(curve.highest(), 7);
}

TEST(Curve, ShowsASpikeOfNoDuration) {
    const Curve curve = make_curve({{0, 0}, {1, 50}, {2, 50}, {3, 80}}, {10, 999, 10, 20});
    std::vector<ValueSpan> columns(2);
    curve.sample(Axis::time, 0, 100, columns);
    EXPECT_EQ(columns, (std::vector<ValueSpan>{{10, 10}, {10, 999}}));
    curve.sample(Axis::steps, 0, 4, columns);
    EXPECT_EQ(columns, (std::vector<ValueSpan>{{10, 999}, {10, 20}}));
}

TEST(Curve, OfTheTicksOfATimelineIsTheSameAsOfTheirPlaces) {
    const auto ticks = std::make_shared<Ticks>();
    std::vector<AxisPlace> places;
    std::vector<double> values;
    std::mt19937 random(7);
    for (std::uint64_t tick = 0; tick < 5000; ++tick) {
        ticks->step.push_back(tick == 0 ? 0 : ticks->step.back() + random() % 5);
        ticks->time_us.push_back(tick == 0 ? 0 : ticks->time_us.back() + static_cast<std::int64_t>(random() % 3));
        ticks->total_bytes.push_back(random() % 1000);
        places.push_back({static_cast<double>(ticks->step.back()), static_cast<double>(ticks->time_us.back())});
        values.push_back(static_cast<double>(ticks->total_bytes.back()));
    }
    places.pop_back();  // removes the right edge, where nothing changes
    values.pop_back();
    const Curve expected = make_curve(places, values);
    const Curve curve({"name", "name", "doc", Unit::bytes}, ticks);
    EXPECT_EQ(curve.lowest(), expected.lowest());
    EXPECT_EQ(curve.highest(), expected.highest());
    for (const Axis axis : {Axis::steps, Axis::time}) {
        std::vector<ValueSpan> columns(333), expected_columns(333);
        curve.sample(axis, 100, 4000, columns);
        expected.sample(axis, 100, 4000, expected_columns);
        EXPECT_EQ(columns, expected_columns);
        EXPECT_EQ(curve.at(axis, 1234.5), expected.at(axis, 1234.5));
    }
}

TEST(Curve, OfNothingIsZero) {
    const Curve curve = make_curve({}, {});
    std::vector<ValueSpan> columns(3, ValueSpan{5, 5});
    curve.sample(Axis::steps, 0, 1, columns);
    EXPECT_EQ(columns, std::vector<ValueSpan>(3));
    EXPECT_EQ(curve.at(Axis::steps, 3), 0);
}

/// The expected span, computed from every value.
ValueSpan brute_force(const Curve& curve, Axis axis, double begin, double end) {
    ValueSpan span{curve.at(axis, begin), curve.at(axis, begin)};
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const double x = curve.place(i).on(axis);
        if (x < begin || x >= end) continue;
        span.low = std::min(span.low, curve.value(i));
        span.high = std::max(span.high, curve.value(i));
    }
    return span;
}

TEST(Curve, SamplesAsBruteForceDoes) {
    std::mt19937 random(7);
    const auto below = [&random](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    for (const std::size_t count : {1U, 31U, 32U, 33U, 1024U, 1025U, 5000U, 40000U}) {
        std::vector<AxisPlace> places;
        std::vector<double> values;
        AxisPlace place;
        for (std::size_t i = 0; i < count; ++i) {
            place.step += static_cast<double>(below(4));
            place.time_us += static_cast<double>(below(3) * 10);
            places.push_back(place);
            values.push_back(static_cast<double>(below(1000000)));
        }
        const Curve curve = make_curve(places, values);
        EXPECT_EQ(curve.highest(), *std::ranges::max_element(values));
        EXPECT_EQ(curve.lowest(), *std::ranges::min_element(values));
        for (int round = 0; round < 20; ++round) {
            const Axis axis = round % 2 == 0 ? Axis::steps : Axis::time;
            const double end = places.back().on(axis) + 10;
            const double x0 = static_cast<double>(below(static_cast<std::size_t>(end)));
            const double x1 = x0 + 0.25 * static_cast<double>(1 + below(static_cast<std::size_t>(4 * end)));
            std::vector<ValueSpan> columns(1 + below(64));
            curve.sample(axis, x0, x1, columns);
            const double width = (x1 - x0) / static_cast<double>(columns.size());
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const double begin = x0 + width * static_cast<double>(i);
                const double end_of_column = x0 + width * static_cast<double>(i + 1);
                EXPECT_EQ(columns[i], brute_force(curve, axis, begin, end_of_column)) << count << " " << round << " " << i;
            }
        }
    }
}

TEST(RecordedSteps, AreFoundOnceAndOnlyAroundWhatIsAskedFor) {
    constexpr std::size_t k_count = 1000;
    std::vector<std::atomic<int>> asked(k_count);
    const RecordedSteps steps(k_count, [&](std::size_t index, std::span<double> out) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = 3.0 * static_cast<double>(index + i);
            ++asked[index + i];
        }
    });
    const auto ask = [&] {
        for (std::size_t i = k_count - 100; i < k_count; ++i) EXPECT_EQ(steps[i], 3.0 * static_cast<double>(i));
    };
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) threads.emplace_back(ask);
    threads.clear();
    EXPECT_EQ(std::ranges::count(asked, 0, [](const auto& times) { return times.load(); }), 896) << "fourteen runs of 64";
    EXPECT_EQ(std::ranges::count_if(asked, [](const auto& times) { return times > 1; }), 0);
}

}  // namespace
}  // namespace snapviewer
