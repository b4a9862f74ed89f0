#include "core/fleet/fleet.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/fleet/fleet_reader.h"

namespace snapviewer {
namespace {

fleet::FileSummary one_rank(std::int64_t rank, std::uint64_t peak_bytes, std::vector<fleet::PeakStack> stacks = {}) {
    fleet::RankSummary summary;
    summary.row.rank = rank;
    summary.row.device = 0;
    summary.row.peak_bytes = peak_bytes;
    summary.peak_stacks = std::move(stacks);
    fleet::FileSummary file;
    file.ranks.push_back(std::move(summary));
    return file;
}

fleet::FileSummary unreadable_rank(std::int64_t rank) {
    fleet::FileSummary file = one_rank(rank, 0);
    file.ranks[0].row.peak_bytes.reset();
    file.ranks[0].row.error = "is empty";
    return file;
}

fleet::Fleet fleet_of(const std::vector<std::uint64_t>& peaks) {
    fleet::Fleet fleet;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        fleet::FileSummary file = one_rank(static_cast<std::int64_t>(i), peaks[i]);
        fleet.add(file);
    }
    return fleet;
}

TEST(Fleet, OnePercentOfTheMedianIsTheLeastDeviation) {
    // The median deviation is 0, so the minimum of 1 % of 1000 applies: ranks more than 30 away are outliers.
    const fleet::Fleet fleet = fleet_of({1000, 1000, 1000, 1000, 1000, 1030, 1031, 970, 969});
    EXPECT_EQ(fleet.median_peak_bytes(), 1000);
    EXPECT_EQ(fleet.deviation_bytes(), 10);
    const auto outliers = fleet.outliers();
    ASSERT_EQ(outliers.size(), 2U);
    EXPECT_EQ(outliers[0].row->rank, 6);
    EXPECT_EQ(outliers[0].delta_bytes, 31);
    EXPECT_EQ(outliers[1].row->rank, 8);
    EXPECT_EQ(outliers[1].delta_bytes, -31);
}

TEST(Fleet, TheMedianOfAnEvenNumberLiesBetween) {
    const fleet::Fleet fleet = fleet_of({1, 2, 5, 8});
    EXPECT_EQ(fleet.median_peak_bytes(), 3.5);
    EXPECT_EQ(fleet.deviation_bytes(), 2);  // median of 2.5, 1.5, 1.5 and 4.5
    EXPECT_TRUE(fleet.outliers().empty());
}

TEST(Fleet, NothingToCompare) {
    fleet::Fleet fleet;
    EXPECT_EQ(fleet.median_peak_bytes(), std::nullopt);
    fleet::FileSummary file = unreadable_rank(3);
    fleet.add(file);
    EXPECT_EQ(fleet.ranks().size(), 1U);
    EXPECT_EQ(fleet.read_count(), 0U);
    EXPECT_EQ(fleet.median_peak_bytes(), std::nullopt);
    EXPECT_TRUE(fleet.outliers().empty());
    EXPECT_TRUE(fleet.growing().empty());
}

TEST(Fleet, StacksThatMakeTheDifference) {
    fleet::Fleet fleet;
    for (std::int64_t rank = 0; rank < 5; ++rank) {
        fleet::FileSummary file = one_rank(rank, 1000, {{1, 600, 6}, {2, 400, 1}});
        fleet.add(file);
    }
    // Stack 1 lost 100 bytes, stack 3 is new, and stack 2 grew by less than a twentieth of the total difference.
    fleet::FileSummary file = one_rank(9, 1500, {{1, 500, 5}, {2, 420, 1}, {3, 580, 1}});
    file.stacks[3] = {"text", "f@a.py:3"};
    fleet.add(file);
    const auto outliers = fleet.outliers();
    ASSERT_EQ(outliers.size(), 1U);
    ASSERT_EQ(outliers[0].stacks.size(), 1U);
    EXPECT_EQ(outliers[0].stacks[0].stack_key, 3U);
    EXPECT_EQ(outliers[0].stacks[0].bytes, 580U);
    EXPECT_EQ(outliers[0].stacks[0].median_bytes, 0U);
    EXPECT_EQ(fleet.top_frame(3), "f@a.py:3");
    EXPECT_EQ(fleet.top_frame(0), "(no stack)");
}

TEST(Fleet, LeaksCountOverRanks) {
    fleet::Fleet fleet;
    const std::vector<double> slopes = {10, 30, 20};
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        fleet::FileSummary file = one_rank(static_cast<std::int64_t>(i), 1000);
        file.ranks[0].growth = {{7, "leak@a.py:1", "leak", slopes[i], 0}, {8, "cache@a.py:2", "settled", 99, 0}};
        if (i == 0) file.ranks[0].growth.push_back({0, "(no stack) 8 B each", "leak", 5, 0});
        file.stacks[7] = {"", "leak@a.py:1"};
        fleet.add(file);
    }
    const auto growing = fleet.growing();
    ASSERT_EQ(growing.size(), 2U);
    EXPECT_EQ(growing[0].source, "leak@a.py:1");
    EXPECT_EQ(growing[0].ranks, 3U);
    EXPECT_EQ(growing[0].slope, 20);
    EXPECT_EQ(growing[1].source, "(no stack) 8 B each");
    EXPECT_EQ(growing[1].ranks, 1U);
}

TEST(Fleet, AFileIsForgotten) {
    fleet::Fleet fleet;
    for (int i = 0; i < 3; ++i) {
        fleet::FileSummary file = i == 1 ? unreadable_rank(i) : one_rank(i, 1000 + static_cast<std::uint64_t>(i));
        file.ranks[0].row.file = "rank" + std::to_string(i);
        fleet.add(file);
    }
    fleet.remove("rank0");
    EXPECT_EQ(fleet.read_count(), 1U);
    EXPECT_EQ(fleet.median_peak_bytes(), 1002);
    fleet.remove("rank1");
    EXPECT_EQ(fleet.ranks().size(), 1U);
    fleet::FileSummary again = one_rank(0, 500);
    fleet.add(again);
    EXPECT_EQ(again.ranks[0].row.run, "");  // its row was removed, so that the place is free again
}

TEST(Fleet, WhatIsToldSaysWhichRankALineIsAbout) {
    fleet::Fleet fleet = fleet_of({1000, 1000, 1000, 5000});
    fleet::FileSummary damaged = unreadable_rank(7);
    fleet.add(damaged);
    std::vector<std::pair<std::size_t, std::int64_t>> about;  // depth and rank of each line
    std::string text;
    for (const fleet::FleetLine& line : fleet::fleet_lines(fleet)) {
        if (line.row != nullptr) about.emplace_back(line.depth, line.row->rank);
        text += std::string(2 * line.depth, ' ') + line.text + "\n";
    }
    EXPECT_EQ(about, (std::vector<std::pair<std::size_t, std::int64_t>>{{1, 3}, {1, 7}}));
    EXPECT_EQ(text, fleet::fleet_text(fleet));
}

TEST(Fleet, TheSamePlaceTwiceIsAnotherRun) {
    fleet::Fleet fleet;
    for (int i = 0; i < 3; ++i) {
        fleet::FileSummary file = one_rank(4, 1000);
        file.ranks[0].row.run = "job";
        fleet.add(file);
        EXPECT_EQ(file.ranks[0].row.run, i == 0 ? "job" : "job#" + std::to_string(i + 1));
    }
    EXPECT_EQ(fleet.ranks()[2]->run, "job#3");
}

}  // namespace
}  // namespace snapviewer
