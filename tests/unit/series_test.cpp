#include <gtest/gtest.h>

#include "core/fleet/series/series.h"
#include "core/fleet/series/series_reader.h"

namespace snapviewer {
namespace {

TEST(SeriesNames, OfARecorder) {
    const series::SampleName sample = series::sample_in_path("out/series/node-1_rank07_device2_series000012.pickle");
    EXPECT_EQ(sample.rank, 7);
    EXPECT_EQ(sample.device, 2);
    EXPECT_EQ(sample.host, "node-1");
    EXPECT_EQ(sample.why, "series");
    EXPECT_EQ(sample.number, 12U);
    EXPECT_EQ(series::sample_in_path("a_rank_b_rank3_device0_series000001_run2.pickle.zst").rank, 3);
    EXPECT_EQ(series::sample_in_path("a_rank3_device0.pickle").why, "end");
    EXPECT_EQ(series::sample_in_path("a_rank3_device0_run2.pickle").why, "end");
    EXPECT_EQ(series::sample_in_path("a_rank3_device0_oom2.pickle").why, "oom");
    EXPECT_EQ(series::sample_in_path("a_rank3_device0_else2.pickle").why, "");
    EXPECT_EQ(series::sample_in_path("a_rank99999999999999999999_device0.pickle").why, "");
}

TEST(SeriesNames, OfOthers) {
    const series::SampleName plain = series::sample_in_path("run/snapshot_000120.pickle");
    EXPECT_FALSE(plain.rank);
    EXPECT_EQ(plain.number, 120U);
    const series::SampleName named = series::sample_in_path("run/mem_rank3_00007.pickle.gz");
    EXPECT_EQ(named.rank, 3);
    EXPECT_EQ(named.number, 7U);
    EXPECT_EQ(series::sample_in_path("rank_5/17.pickle").rank, 5);
    EXPECT_EQ(series::sample_in_path("rank_5/17.pickle").number, 17U);
    EXPECT_EQ(series::about_path("a.b.pickle.zst"), "a.b.about.json");
    EXPECT_TRUE(series::reports_failure("a_rank0_device0_failed.about.json"));
}

TEST(SeriesTimes, OfIso8601) {
    EXPECT_EQ(series::parse_time_us("1970-01-01T00:00:01.5Z"), 1'500'000);
    EXPECT_EQ(series::parse_time_us("2026-11-26T17:16:36.123456Z"), 1'795'713'396'123'456);
    EXPECT_EQ(series::parse_time_us("2026-11-26T19:16:36.123456789+02:00"), 1'795'713'396'123'456);
    EXPECT_EQ(series::parse_time_us("2026-11-26 17:16:36"), 1'795'713'396'000'000);
    for (const char* wrong : {"", "2026", "2026-02-30T00:00:00Z", "2026-11-26T25:00:00Z", "2026-11-26T17:16", "17:16:36",
                              "2026-11-26T17:16:36 o'clock", "2026-11-26T17:16:36+2", "-026-11-26T17:16:36Z"})
        EXPECT_FALSE(series::parse_time_us(wrong)) << wrong;
}

growth::WindowFloors floors_of(const std::array<std::uint64_t, growth::k_windows>& mib) {
    growth::WindowFloors floors;
    for (std::size_t i = 0; i < growth::k_windows; ++i) {
        floors.bytes[i] = mib[i] << 20;
        floors.place[i] = static_cast<double>(i);
    }
    return floors;
}

TEST(SeriesGrowth, IsTheMiddleSlope) {
    EXPECT_DOUBLE_EQ(growth::lasting_slope(floors_of({0, 10, 20, 30, 40, 50, 60, 70})).value_or(0), 10 << 20);
    // One outlier changes little: only two of 28 pairs fall.
    EXPECT_DOUBLE_EQ(growth::lasting_slope(floors_of({0, 10, 35, 30, 34, 50, 60, 70})).value_or(0), 10 << 20);
}

TEST(SeriesGrowth, HasToLast) {
    EXPECT_FALSE(growth::lasting_slope(floors_of({0, 10, 20, 30, 30, 30, 30, 30})));   // the growth ended
    EXPECT_FALSE(growth::lasting_slope(floors_of({0, 0, 0, 0, 0, 0, 0, 90})));         // only the last window grows
    EXPECT_FALSE(growth::lasting_slope(floors_of({0, 1, 2, 3, 4, 5, 6, 7})));          // the growth is too small
    EXPECT_FALSE(growth::lasting_slope(floors_of({50, 10, 40, 20, 60, 30, 70, 50})));  // rises and falls
    EXPECT_FALSE(growth::lasting_slope(floors_of({70, 60, 50, 40, 30, 20, 10, 0})));   // falls all the time
    EXPECT_FALSE(growth::lasting_slope(floors_of({10, 0, 30, 20, 50, 40, 70, 60})));   // four of 28 pairs fall
    EXPECT_FALSE(growth::lasting_slope(floors_of({7, 7, 7, 7, 7, 7, 7, 7})));
}

}  // namespace
}  // namespace snapviewer
