#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/fleet/series/series_reader.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

/// A folder of samples with one segment each, which is read repeatedly with the same SeriesMemory.
class SeriesMemoryTest : public ::testing::Test {
protected:
    void write(int number, std::uint64_t size_bytes) const {
        const std::string size = std::to_string(size_bytes);
        std::ofstream(path(number)) << R"({"device_traces": [[]], "segments": [{"device": 0, "address": 4096, "stream": 0,)"
                                    << R"("segment_type": "large", "total_size": )" << size << R"(, "blocks": [)"
                                    << R"({"address": 4096, "size": )" << size << R"(, "state": "active_allocated"}]}]})";
    }
    std::string path(int number) const {
        return folder_.file("n_rank0_device0_series00000" + std::to_string(number) + ".json");
    }
    /// The allocated bytes of each sample.
    std::multiset<std::uint64_t> read(series::SeriesMemory* memory) const {
        Progress progress;
        const std::string folder = folder_.file("");
        const Result<series::SampleSeries> series = series::read_series({&folder, 1}, progress, memory);
        EXPECT_TRUE(series) << (series ? "" : series.error().text());
        std::multiset<std::uint64_t> sizes;
        if (!series) return sizes;
        for (const series::SeriesLine& line : series->lines)
            for (const series::SeriesSample& sample : line.samples) sizes.insert(sample.allocated_bytes);
        return sizes;
    }

    TestFolder folder_;
};

TEST_F(SeriesMemoryTest, GivesWhatReadingAnewGives) {
    series::SeriesMemory memory;
    write(1, 100);
    write(2, 200);
    EXPECT_EQ(read(&memory), (std::multiset<std::uint64_t>{100, 200}));
    write(2, 2'000);  // the size differs, so the clock of the file system does not matter
    write(3, 300);
    std::filesystem::remove(path(1));
    EXPECT_EQ(read(&memory), (std::multiset<std::uint64_t>{300, 2'000}));
    EXPECT_EQ(read(&memory), read(nullptr));
    EXPECT_EQ(memory.files.size(), 2U);
}

TEST_F(SeriesMemoryTest, ReadsNothingTwice) {
    series::SeriesMemory memory;
    write(1, 100);
    read(&memory);
    const auto written = std::filesystem::last_write_time(path(1));
    write(1, 999);
    std::filesystem::last_write_time(path(1), written);
    // Size and time are unchanged, so the cached sample is used.
    EXPECT_EQ(read(&memory), std::multiset<std::uint64_t>{100});
    EXPECT_EQ(read(nullptr), std::multiset<std::uint64_t>{999});
}

TEST_F(SeriesMemoryTest, WhatTheRecorderWroteLaterCounts) {
    series::SeriesMemory memory;
    write(1, 100);
    read(&memory);
    std::ofstream(folder_.file("n_rank0_device0_series000001.about.json")) << R"({"step": 7})";
    Progress progress;
    const std::string folder = folder_.file("");
    const Result<series::SampleSeries> series = series::read_series({&folder, 1}, progress, &memory);
    ASSERT_TRUE(series);
    EXPECT_EQ(series->lines.at(0).samples.at(0).step, 7);
}

TEST_F(SeriesMemoryTest, AStopForgetsNothing) {
    series::SeriesMemory memory;
    write(1, 100);
    read(&memory);
    Progress progress;
    progress.request_stop();
    const std::string folder = folder_.file("");
    EXPECT_FALSE(series::read_series({&folder, 1}, progress, &memory));
    EXPECT_EQ(memory.files.size(), 1U);
}

}  // namespace
}  // namespace snapviewer
