#include "app/features/fleet/fleet_data.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace snapviewer {
namespace {

files::FileStamps rank_stamp(std::uintmax_t size_bytes) {
    return {{.exists = true, .size_bytes = size_bytes, .modified = {}}, {}};
}

TEST(FleetChangeDetector, WhatTwoLooksSawAlikeIsNews) {
    fleet::FleetChangeDetector detector({{"rank0", rank_stamp(10)}});
    detector.look({{"rank0", rank_stamp(10)}});
    EXPECT_FALSE(detector.has_news());
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(3)}});
    EXPECT_FALSE(detector.has_news());
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(9)}});
    EXPECT_FALSE(detector.has_news());
    // A file that is still being written does not delay the others.
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(9)}, {"rank2", rank_stamp(1)}});
    EXPECT_TRUE(detector.has_news());
}

TEST(FleetChangeDetector, FilesThatGoAndComeBackAlike) {
    fleet::FleetChangeDetector detector({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(10)}});
    detector.look({{"rank0", rank_stamp(10)}});
    EXPECT_FALSE(detector.has_news());
    detector.look({{"rank0", rank_stamp(10)}});
    EXPECT_TRUE(detector.has_news());
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(10)}});
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(10)}});
    EXPECT_FALSE(detector.has_news());
}

TEST(FleetChangeDetector, WhatLackedMemoryIsNewsOnceThereIsMore) {
    const fleet::FleetStamps read = {{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(90)}};
    const std::map<std::string, std::uint64_t> awaited = {{"rank1", 500}};
    fleet::FleetChangeDetector detector(read);
    const auto look_with = [&](fleet::FleetStamps stamps, std::uint64_t available_bytes) {
        fleet::mark_awaited(stamps, awaited, available_bytes);
        detector.look(std::move(stamps));
        return detector.has_news();
    };
    EXPECT_FALSE(look_with(read, 500));
    EXPECT_FALSE(look_with(read, 500));
    EXPECT_FALSE(look_with(read, 501));  // seen by a single check only
    EXPECT_FALSE(look_with(read, 500));
    EXPECT_FALSE(look_with(read, 501));
    EXPECT_TRUE(look_with(read, 501));
    // A removed file is news regardless of the free memory.
    EXPECT_FALSE(look_with(read, 500));
    EXPECT_FALSE(look_with({{"rank0", rank_stamp(10)}}, 0));
    EXPECT_TRUE(look_with({{"rank0", rank_stamp(10)}}, 0));
}

TEST(FleetChangeDetector, HowMuchMemoryIsAwaited) {
    EXPECT_EQ(fleet::awaited_memory_bytes(900, 400), 900U);
    EXPECT_EQ(fleet::awaited_memory_bytes(100, 400), 500U);  // more than was free when the memory was insufficient
    const std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(fleet::awaited_memory_bytes(100, unlimited), unlimited);
}

}  // namespace
}  // namespace snapviewer
