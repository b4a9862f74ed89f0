#include "app/features/query/result_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace snapviewer {
namespace {

query::QueryResult rows_of(std::vector<std::string> columns, std::vector<Cell> cells) {
    query::QueryResult result;
    result.origins.resize(columns.size());
    result.columns = std::move(columns);
    result.cells = std::move(cells);
    return result;
}

std::int64_t whole(std::int64_t number) { return number; }

using Points = std::vector<query::ChartPoint>;

TEST(ResultChartTest, TextAndNumberAreBarsInTheOrderOfTheRows) {
    const query::ResultChart chart = query::make_chart(rows_of(
        {"pool", "sum(size)"}, {std::string("b"), whole(7), std::string("a"), whole(3), std::string("b"), whole(1)}));
    ASSERT_EQ(chart.why_not, "");
    EXPECT_TRUE(chart.has_bars);
    EXPECT_EQ(chart.bars, (std::vector<std::string>{"b", "a", "b"}));
    ASSERT_EQ(chart.series.size(), 1U);
    EXPECT_EQ(chart.series[0].points, (Points{{0, 7}, {1, 3}, {2, 1}}));
    EXPECT_EQ(chart.y_counts, query::Quantity::bytes);
}

TEST(ResultChartTest, FewNumbersAreBarsAndManyALine) {
    std::vector<Cell> few = {whole(4), 0.5, whole(2), 1.5};
    const query::ResultChart bars = query::make_chart(rows_of({"n", "share"}, few));
    EXPECT_TRUE(bars.has_bars);
    EXPECT_EQ(bars.bars, (std::vector<std::string>{"2", "4"}));
    EXPECT_EQ(bars.series[0].points, (Points{{0, 1.5}, {1, 0.5}}));
    std::vector<Cell> many;
    for (std::int64_t i = 0; i < 25; ++i) {
        many.emplace_back(25 - i);
        many.emplace_back(i * i);
    }
    const query::ResultChart line = query::make_chart(rows_of({"n", "count(*)"}, many));
    EXPECT_FALSE(line.has_bars);
    EXPECT_EQ(line.series[0].points.front(), (query::ChartPoint{1, 576}));
    EXPECT_EQ(line.series[0].points.back(), (query::ChartPoint{25, 0}));
    EXPECT_EQ(line.y_counts, query::Quantity::number);
}

TEST(ResultChartTest, TheThirdColumnNamesTheSeries) {
    const query::ResultChart chart =
        query::make_chart(rows_of({"step", "size", "stream"}, {whole(1), whole(10), whole(0), whole(1), whole(20), whole(7),
                                                               whole(2), whole(30), whole(0)}));
    ASSERT_EQ(chart.series.size(), 2U);
    EXPECT_FALSE(chart.has_bars) << "steps are a line however few";
    EXPECT_EQ(chart.series[0].name, "stream 0");
    EXPECT_EQ(chart.series[0].points, (Points{{1, 10}, {2, 30}}));
    EXPECT_EQ(chart.series[1].name, "stream 7");
    EXPECT_EQ(query::why_no_track(chart), "");
    EXPECT_EQ(query::track_unit(chart), Unit::bytes);
    const query::ResultChart turned = query::make_chart(
        rows_of({"pool", "kind", "n"}, {std::string("a"), std::string("x"), whole(1), std::string("a"), std::string("y"),
                                        whole(2), std::string("b"), std::string("x"), whole(3)}));
    EXPECT_EQ(turned.bars, (std::vector<std::string>{"a", "b"}));
    ASSERT_EQ(turned.series.size(), 2U);
    EXPECT_EQ(turned.series[1].points, (Points{{0, 2}}));
}

TEST(ResultChartTest, SaysWhyThereIsNone) {
    EXPECT_NE(query::make_chart(rows_of({"a"}, {whole(1)})).why_not, "");
    EXPECT_NE(query::make_chart(rows_of({"a", "b"}, {})).why_not, "");
    const query::ResultChart text = query::make_chart(rows_of({"a", "name"}, {whole(1), std::string("x")}));
    EXPECT_EQ(text.why_not, "The column name does not hold numbers");
    std::vector<Cell> cells;
    for (std::int64_t i = 0; i < 9; ++i) {
        cells.emplace_back(i);
        cells.emplace_back(i);
        cells.emplace_back("s" + std::to_string(i));
    }
    EXPECT_EQ(query::make_chart(rows_of({"x", "y", "s"}, cells)).why_not, "The column s has more than 6 different series");
    const Cell a = std::string("a");
    EXPECT_EQ(query::make_chart(rows_of({"x", "y", "s"}, {a, whole(1), a, a, whole(2), a})).why_not,
              "Some rows have the same x and s");
    const query::ResultChart sizes = query::make_chart(rows_of({"size", "n"}, {whole(1), whole(1)}));
    EXPECT_EQ(sizes.why_not, "");
    EXPECT_NE(query::why_no_track(sizes), "");
}

TEST(ResultChartTest, CountsRowsWithoutANumber) {
    const query::ResultChart chart = query::make_chart(
        rows_of({"alloc_step", "size"}, {whole(1), std::monostate{}, std::monostate{}, whole(2), whole(3), whole(4)}));
    EXPECT_EQ(chart.rows_without, 2U);
    EXPECT_EQ(chart.points, 1U);
    EXPECT_EQ(query::make_chart(rows_of({"x", "y"}, {std::monostate{}, whole(2)})).bars, std::vector<std::string>{"NULL"});
}

TEST(ResultChartTest, ThinningKeepsEverySpikeAndTheEnds) {
    Points points;
    for (int i = 0; i < 100'000; ++i) points.push_back({static_cast<double>(i), std::sin(i * 0.01)});
    points[61'803].y = 50;
    points[61'804].y = -50;
    const Points kept = query::thinned(points, 0, 99'999, 500);
    EXPECT_LE(kept.size(), 4U * 501);
    EXPECT_EQ(kept.front(), points.front());
    EXPECT_EQ(kept.back(), points.back());
    EXPECT_TRUE(std::ranges::is_sorted(kept, {}, &query::ChartPoint::x));
    for (const int spike : {61'803, 61'804})
        EXPECT_NE(std::ranges::find(kept, points[static_cast<std::size_t>(spike)]), kept.end());
    EXPECT_EQ(query::thinned(kept, 0, 99'999, 5000), kept) << "few points are all drawn";
}

TEST(ResultChartTest, TheNearestPointsOfAPlace) {
    const Points points = {{1, 0}, {5, 1}, {5, 2}, {9, 3}};
    const auto nearest = [&](double x) {
        const std::span<const query::ChartPoint> found = query::nearest_points(points, x);
        return Points(found.begin(), found.end());
    };
    EXPECT_EQ(nearest(-4), (Points{{1, 0}}));
    EXPECT_EQ(nearest(4), (Points{{5, 1}, {5, 2}}));
    EXPECT_EQ(nearest(100), (Points{{9, 3}}));
}

TEST(ResultChartTest, IsReadAtABarOrAtTheNearestPoint) {
    using Values = std::vector<std::pair<std::size_t, std::string>>;
    const query::ResultChart bars =
        query::make_chart(rows_of({"pool", "n"}, {std::string("a"), whole(3), std::string("b"), whole(5)}));
    const query::ChartReading bar = query::read_chart(bars, 1.7);
    EXPECT_EQ(bar.x, 1);
    EXPECT_EQ(bar.place, "b");
    EXPECT_EQ(bar.values, (Values{{0, "n  5"}}));
    const query::ResultChart lines =
        query::make_chart(rows_of({"step", "n", "stream"}, {whole(1), whole(10), whole(0), whole(1), whole(20), whole(7),
                                                            whole(2), whole(30), whole(0)}));
    const query::ChartReading both = query::read_chart(lines, 1.2);
    EXPECT_EQ(both.place, "step 1");
    EXPECT_EQ(both.values, (Values{{0, "stream 0  10"}, {1, "stream 7  20"}}));
    EXPECT_EQ(query::read_chart(lines, 1.9).values, (Values{{0, "stream 0  30"}}));
}

TEST(ResultChartTest, QuantitiesReadAsElsewhere) {
    EXPECT_EQ(query::quantity_text(query::Quantity::bytes, 1536), "1.5 KiB");
    EXPECT_EQ(query::quantity_text(query::Quantity::steps, 12345), "step 12,345");
    EXPECT_EQ(query::quantity_text(query::Quantity::number, 0.125), "0.125");
    const std::vector<AxisTick> ticks = query::quantity_ticks(query::Quantity::number, -1, 1, 400, 100);
    ASSERT_EQ(ticks.size(), 5U);
    EXPECT_EQ(ticks[0].label, "-1");
    EXPECT_EQ(ticks[1].label, "-0.5");
    EXPECT_EQ(ticks[2].label, "0");
}

}  // namespace
}  // namespace snapviewer
