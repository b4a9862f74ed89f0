#include "app/features/fleet/fleet_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapviewer {
namespace {

constexpr std::uint64_t k_mb = 1000 * 1000;

fleet::FileSummary file_of_rank(std::int64_t rank, std::uint64_t peak_bytes, const std::string& host = "") {
    fleet::FileSummary file;
    fleet::RankRow& row = file.ranks.emplace_back().row;
    row.rank = rank;
    row.device = 0;
    row.host = host;
    row.file = "/jobs/x/rank" + std::to_string(rank) + ".pickle";
    row.peak_bytes = peak_bytes;
    file.ranks[0].peak_stacks = {{1, peak_bytes, 1}};
    file.stacks[1] = {"text", "hold@eval.py:33"};
    return file;
}

/// Ranks 0 to 9. Rank 3 has a high peak, 8 is damaged, and 9 ran out of memory on another machine.
fleet::ShownFleet ten_ranks() {
    fleet::Fleet fleet;
    for (std::int64_t rank = 0; rank < 10; ++rank) {
        fleet::FileSummary file = file_of_rank(rank, rank == 3 ? 500 * k_mb : 100 * k_mb + static_cast<std::uint64_t>(rank),
                                               rank == 9 ? "Node2" : "");
        if (rank == 8) {
            file.ranks[0].row.peak_bytes.reset();
            file.ranks[0].row.error = "is empty";
        }
        if (rank == 9) file.ranks[0].row.oom_cause = "fragmentation";
        fleet.add(file);
    }
    return fleet::show_fleet(fleet);
}

std::string order_of(const fleet::FleetOrder& order) {
    const fleet::ShownFleet fleet = ten_ranks();
    std::string ranks;
    for (const std::uint32_t place : fleet::arrange(fleet, order)) ranks += std::to_string(fleet.ranks[place].row.rank);
    return ranks;
}

TEST(FleetRows, ColumnsSort) {
    EXPECT_EQ(order_of({}), "0123456789");
    EXPECT_EQ(order_of({fleet::FleetColumn::rank, true, ""}), "9876543210");
    EXPECT_EQ(order_of({fleet::FleetColumn::peak, true, ""}), "3976542108");  // ranks without a peak come last
    EXPECT_EQ(order_of({fleet::FleetColumn::delta, true, ""}).substr(0, 1), "3");
    EXPECT_EQ(order_of({fleet::FleetColumn::file, false, ""}), "0123456789");
}

TEST(FleetRows, AFilterLooksAtAllTexts) {
    EXPECT_EQ(order_of({.filter = "damaged"}), "8");
    EXPECT_EQ(order_of({.filter = "  EVAL.py  above "}), "3");
    EXPECT_EQ(order_of({.filter = "node2"}), "9");
    EXPECT_EQ(order_of({.filter = "7"}), "7");
    EXPECT_EQ(order_of({.filter = "eval.py below"}), "");
}

TEST(FleetRows, WhatIsShown) {
    const fleet::ShownFleet fleet = ten_ranks();
    EXPECT_EQ(fleet.ranks[3].note, "far above: hold@eval.py:33");
    EXPECT_EQ(fleet.ranks[3].reasons, std::vector<std::string>{"+381.5 MiB  hold@eval.py:33"});
    EXPECT_EQ(fleet.ranks[8].note, "damaged: is empty");
    EXPECT_EQ(fleet.ranks[9].note, "out of memory: fragmentation");
    EXPECT_EQ(fleet.ranks[0].note, "");
    EXPECT_EQ(fleet.top_bytes, 500 * k_mb);
    EXPECT_EQ(fleet.read_count, 9U);
    // The common folder of all files is omitted.
    const auto about_8 = std::ranges::find(fleet.lines, std::optional<std::size_t>(8), &fleet::ShownLine::rank);
    ASSERT_NE(about_8, fleet.lines.end());
    EXPECT_EQ(about_8->text, "rank8.pickle: is empty");
    EXPECT_EQ(fleet.index_of(fleet::place_of(fleet.ranks[4].row)), 4U);
    EXPECT_EQ(fleet.index_of({"/jobs/x/rank4.pickle", 4, 1}), std::nullopt);
    EXPECT_EQ(rank_words({"", 7, 0}), "rank 7");
    EXPECT_EQ(rank_words({"", 7, 1}), "rank 7, device 1");
}

}  // namespace
}  // namespace snapviewer
