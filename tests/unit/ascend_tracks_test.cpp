// Tests of the tracks below the picture of a profile, column by column, with tables of a few rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/load/profilers/ascend/records.h"
#include "tests/unit/column_values.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer::profilers::ascend {
namespace {

const char* const k_counters = R"(
CREATE TABLE ENUM_MODULE (id, name); INSERT INTO ENUM_MODULE VALUES (3, 'HCCL'), (33, 'APP');
CREATE TABLE NPU_MODULE_MEM (moduleId, timestampNs, totalReserved, deviceId);
INSERT INTO NPU_MODULE_MEM VALUES (3, 1000, 50, 0), (3, 2000, 50, 0), (33, 1000, 700, 0), (33, 2000, 900, 0), (45, 2000, 60, 0),
  (7, 1000, 0, 0), (33, 1000, 12345, 1);
CREATE TABLE PCIE (deviceId, timestampNs, txPostMin, txPostMax, txPostAvg, rxPostMax, rxPostAvg);
INSERT INTO PCIE VALUES (0, 1000, 1, 5, 3, 9, 7), (0, 2000, 2, 6, 4, 10, 8);
CREATE TABLE ROCE (deviceId, timestampNs, funcId, rxByteRate, txByteRate);
INSERT INTO ROCE VALUES (0, 1000, 0, 10, 20), (0, 2000, 0, 11, 21), (0, 1000, 1, 30, 40), (0, 2000, 1, 31, 41);
)";

class AscendTracks : public testing::Test {
protected:
    void SetUp() override {
        { const WrittenDatabase written(folder_.file("a.db"), k_counters); }
        const auto file = sqlite::SqliteFile::open(folder_.file("a.db"));
        ASSERT_TRUE(file.ok());
        tracks_ = read_tracks(**file, 0, log_);
    }

    const Track& track(const std::string& name) const {
        static const Track k_none;
        const auto found = std::ranges::find(tracks_, name, &Track::name);
        EXPECT_NE(found, tracks_.end()) << name;
        return found == tracks_.end() ? k_none : *found;
    }

    TestFolder folder_;
    ImportLog log_;
    std::vector<Track> tracks_;
};

using Expected = std::vector<std::tuple<std::string, SeriesShape, std::vector<double>>>;

Expected series_of(const Track& track) {
    Expected found;
    for (const Series& series : track.series) found.emplace_back(series.name, series.shape, test::values_of(series.values));
    return found;
}

TEST_F(AscendTracks, ModulesAreStackedLargestFirst) {
    const auto stacked = SeriesShape::stacked;
    EXPECT_EQ(series_of(track("Modules")),
              (Expected{{"APP", stacked, {700, 900}}, {"module 45", stacked, {60}}, {"HCCL", stacked, {50, 50}}}));
    EXPECT_EQ(track("Modules").series[0].unit, Unit::bytes);
}

TEST_F(AscendTracks, ExtremesAreARibbonAroundTheAverage) {
    // rxPostMin is missing, so the other edge stays a separate curve.
    EXPECT_EQ(series_of(track("PCIE")), (Expected{{"sent, lowest", SeriesShape::ribbon_low, {1, 2}},
                                                  {"sent, highest", SeriesShape::ribbon_high, {5, 6}},
                                                  {"sent", SeriesShape::line, {3, 4}},
                                                  {"received, highest", SeriesShape::ribbon_high, {9, 10}},
                                                  {"received", SeriesShape::line, {7, 8}}}));
}

TEST_F(AscendTracks, WhatIsSentMirrorsWhatIsReceived) {
    const auto port = [](std::vector<double> received, std::vector<double> sent) {
        return Expected{{"received", SeriesShape::area, std::move(received)},
                        {"sent", SeriesShape::mirrored, std::move(sent)}};
    };
    EXPECT_EQ(series_of(track("ROCE port 0")), port({10, 11}, {20, 21}));
    EXPECT_EQ(series_of(track("ROCE port 1")), port({30, 31}, {40, 41}));
}

}  // namespace
}  // namespace snapviewer::profilers::ascend
