#include "app/jobs/fleet_stamps.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace snapviewer {
namespace {

FileStamps rank_stamp(std::uintmax_t size_bytes) { return {{.exists = true, .size_bytes = size_bytes, .modified = {}}, {}}; }

TEST(FleetChangeDetector, WhatTwoLooksSawAlikeIsNews) {
    FleetChangeDetector detector({{"rank0", rank_stamp(10)}});
    detector.look({{"rank0", rank_stamp(10)}});
    EXPECT_FALSE(detector.has_news());
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(3)}});
    EXPECT_FALSE(detector.has_news());
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(9)}});
    EXPECT_FALSE(detector.has_news());
    // That another one is still written keeps nobody from reading this one.
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(9)}, {"rank2", rank_stamp(1)}});
    EXPECT_TRUE(detector.has_news());
}

TEST(FleetChangeDetector, FilesThatGoAndComeBackAlike) {
    FleetChangeDetector detector({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(10)}});
    detector.look({{"rank0", rank_stamp(10)}});
    EXPECT_FALSE(detector.has_news());
    detector.look({{"rank0", rank_stamp(10)}});
    EXPECT_TRUE(detector.has_news());
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(10)}});
    detector.look({{"rank0", rank_stamp(10)}, {"rank1", rank_stamp(10)}});
    EXPECT_FALSE(detector.has_news());
}

}  // namespace
}  // namespace snapviewer
