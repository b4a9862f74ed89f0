#include "app/features/series/series.h"

#include <gtest/gtest.h>

#include <utility>

namespace snapviewer {
namespace {

constexpr std::int64_t k_minute_us = 60'000'000;
constexpr series::SeriesPool k_large_pool{0, 0, false}, k_small_pool{0, 0, true};

series::SamplePool pool_use(const series::SeriesPool& pool, std::uint64_t bytes) {
    series::SamplePool use;
    use.pool = pool;
    use.allocated_bytes = bytes;
    return use;
}

series::SeriesSample sample_at(std::int64_t time_us, std::uint64_t large_bytes, std::uint64_t small_bytes) {
    series::SeriesSample sample;
    sample.time_us = time_us;
    sample.time_from = series::SampleTime::recorder;
    sample.allocated_bytes = large_bytes + small_bytes;
    sample.reserved_bytes = 2 * sample.allocated_bytes;
    sample.pools = {pool_use(k_large_pool, large_bytes), pool_use(k_small_pool, small_bytes)};
    sample.sizes = {{0, 21, 1, large_bytes}, {1, 9, 1, small_bytes}};
    return sample;
}

/// A series with a sample per minute for an hour, except for ten minutes in the middle, on rank 0; rank 1 has only the first
/// half.
series::SampleSeries two_ranks() {
    series::SampleSeries series;
    for (const std::int64_t rank : {0, 1}) {
        series::SeriesLine& line = series.lines.emplace_back();
        line.rank = rank;
        line.has_times = true;
        for (std::int64_t minute = 0; minute <= (rank == 0 ? 60 : 24); ++minute) {
            if (minute > 25 && minute < 35) continue;
            line.samples.push_back(sample_at(1000 + minute * k_minute_us, 100 + static_cast<std::uint64_t>(minute), 7));
        }
    }
    return series;
}

series::SeriesDump dump_at(std::int64_t minute, std::string file) {
    series::SeriesDump dump;
    dump.why = "oom";
    dump.time_us = 1000 + minute * k_minute_us;
    dump.file = std::move(file);
    return dump;
}

series::SeriesLine line_of_one(std::int64_t rank) {
    series::SeriesLine line;
    line.rank = rank;
    line.samples = {sample_at(5, 1, 1)};
    return line;
}

TEST(SeriesCurves, LieOverTheTimeOfAllRanks) {
    series::SampleSeries series = two_ranks();
    series.dumps = {dump_at(15, "a.pickle"), dump_at(600, "later.pickle")};
    const series::ShownSeries shown = series::show_series(std::move(series));
    EXPECT_EQ(shown.start_us, 1000);
    EXPECT_DOUBLE_EQ(shown.span, 60 * k_minute_us);
    ASSERT_EQ(shown.ranks.size(), 2U);
    const std::size_t a_minute = series::k_series_columns / 60;
    for (const std::size_t minute : {0U, 7U, 24U, 36U, 59U}) {
        EXPECT_EQ(shown.ranks[0].allocated[minute * a_minute], 107 + minute);
        EXPECT_EQ(shown.ranks[0].reserved[minute * a_minute + a_minute / 2], 2 * (107 + minute));
    }
    EXPECT_EQ(shown.ranks[0].allocated.back(), 167U);
    EXPECT_FALSE(shown.ranks[0].allocated[30 * a_minute]);
    EXPECT_TRUE(shown.ranks[1].allocated[24 * a_minute]);
    EXPECT_FALSE(shown.ranks[1].allocated[25 * a_minute]);
    ASSERT_EQ(shown.gaps.size(), 1U);
    EXPECT_DOUBLE_EQ(shown.gaps[0].begin, 25.0 / 60);
    EXPECT_DOUBLE_EQ(shown.gaps[0].end, 35.0 / 60);
    ASSERT_EQ(shown.dumps.size(), 1U);
    EXPECT_DOUBLE_EQ(shown.dumps[0].share, 0.25);
}

TEST(SeriesCurves, AreTakenApart) {
    const series::ShownSeries shown = series::show_series(two_ranks());
    const series::SeriesLayers by_pool = series::layers_of(shown, 0, false, 8);
    EXPECT_EQ(by_pool.names, (std::vector<std::string>{"large", "small"}));
    EXPECT_EQ(by_pool.bytes[0][0], 100U);
    EXPECT_EQ(by_pool.bytes[1].back(), 7U);
    EXPECT_FALSE(by_pool.bytes[0][series::k_series_columns / 2]);
    EXPECT_EQ(by_pool.most_bytes, 2U * 167);
    EXPECT_EQ(series::layers_of(shown, 1, true, 8).names, (std::vector<std::string>{"2 MiB to 4 MiB", "512 B to 1 KiB"}));
    const series::SeriesLayers one = series::layers_of(shown, 0, true, 1);
    EXPECT_EQ(one.names, std::vector<std::string>{"all others"});
    EXPECT_EQ(one.bytes[0][0], 107U);
}

TEST(SeriesCurves, WithoutTimesSamplesAreCounted) {
    series::SampleSeries series = two_ranks();
    for (series::SeriesLine& line : series.lines) line.has_times = false;
    const series::ShownSeries shown = series::show_series(std::move(series));
    EXPECT_FALSE(shown.start_us);
    EXPECT_DOUBLE_EQ(shown.span, 51);
    EXPECT_TRUE(shown.gaps.empty());
    EXPECT_EQ(shown.ranks[0].allocated.back(), 167U);
}

TEST(SeriesCurves, OfOneSampleAndOfVeryManyRanks) {
    series::SampleSeries one;
    one.lines.push_back(line_of_one(3));
    EXPECT_EQ(series::show_series(std::move(one)).ranks[0].allocated[0], 2U);
    series::SampleSeries many;
    for (std::int64_t rank = 0; rank < 200; ++rank) many.lines.push_back(line_of_one(rank));
    const series::ShownSeries shown = series::show_series(std::move(many));
    EXPECT_EQ(shown.ranks.size(), series::k_max_shown_lines);
    EXPECT_EQ(shown.ranks.back().line, series::k_max_shown_lines - 1);
}

}  // namespace
}  // namespace snapviewer
