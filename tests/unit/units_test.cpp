#include "core/base/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace snapviewer {
namespace {

TEST(Units, Bytes) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(512), "512 B");
    EXPECT_EQ(format_bytes(1023), "1023 B");
    EXPECT_EQ(format_bytes(1024), "1.0 KiB");
    EXPECT_EQ(format_bytes(1536), "1.5 KiB");
    EXPECT_EQ(format_bytes(12ULL << 30, 2), "12.00 GiB");
    EXPECT_EQ(format_bytes(3ULL << 20, 0), "3 MiB");
    EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(Units, SharesAreNeverNothingOfSomething) {
    EXPECT_EQ(format_share(0, 1000), "0 %");
    EXPECT_EQ(format_share(4, 1000), "under 1 %");
    EXPECT_EQ(format_share(6, 1000), "1 %");
    EXPECT_EQ(format_share(333, 1000), "33 %");
    EXPECT_EQ(format_share(1000, 1000), "100 %");
    EXPECT_EQ(format_share(0, 0), "0 %");
    EXPECT_EQ(format_share(333, 1000, 1), "33.3 %");
    EXPECT_EQ(format_share(1, 10'000, 1), "under 0.1 %");
}

TEST(Units, WhatCameOverANetwork) {
    const std::string plain = format_wire_bytes(1 << 20, 1 << 20), packed = format_wire_bytes(1 << 20, 16 << 20);
    EXPECT_TRUE(plain.starts_with("1.0 MiB ")) << plain;
    ASSERT_TRUE(packed.starts_with(plain)) << packed;
    EXPECT_NE(packed.find(" 16 ", plain.size()), std::string::npos) << packed;
    EXPECT_TRUE(format_wire_bytes(0, 0).starts_with("0 B "));
}

TEST(Units, SignedBytesHaveAMinusAlone) {
    EXPECT_EQ(format_signed_bytes(1536), "1.5 KiB");
    EXPECT_EQ(format_signed_bytes(-1536, 2), "-1.50 KiB");
    EXPECT_EQ(format_signed_bytes(0), "0 B");
    EXPECT_EQ(format_signed_bytes(INT64_MIN), "-8.0 EiB");
    EXPECT_EQ(format_difference(1536), "+1.5 KiB");
    EXPECT_EQ(format_difference(-1536, 2), "-1.50 KiB");
    EXPECT_EQ(format_difference(0), "0 B");
}

TEST(Units, BytesThatRoundUpToTheNextUnitAreWrittenInIt) {
    EXPECT_EQ(format_bytes((1ULL << 20) - 1), "1.0 MiB");
    EXPECT_EQ(format_bytes((1ULL << 20) - 1024), "1023.0 KiB");
    EXPECT_EQ(format_bytes((1ULL << 30) - 1, 3), "1.000 GiB");
}

TEST(Units, BytesExactly) {
    EXPECT_EQ(format_bytes_exactly(10ULL << 20), "10.0 MiB (10,485,760 bytes)");
    EXPECT_EQ(format_bytes_exactly(512), "512 bytes");
    EXPECT_EQ(format_bytes_exactly(1), "1 byte");
}

TEST(Units, Counts) {
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(1000), "1,000");
    EXPECT_EQ(format_count(1'181'182), "1,181,182");
    EXPECT_EQ(format_count(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Units, Durations) {
    EXPECT_EQ(format_duration_us(0), "0 us");
    EXPECT_EQ(format_duration_us(950), "950 us");
    EXPECT_EQ(format_duration_us(1000), "1.00 ms");
    EXPECT_EQ(format_duration_us(12'345), "12.3 ms");
    EXPECT_EQ(format_duration_us(9'996), "10.0 ms");
    EXPECT_EQ(format_duration_us(999'600), "1.00 s");
    EXPECT_EQ(format_duration_us(4'200'000), "4.20 s");
    EXPECT_EQ(format_duration_us(59'970'000), "1 min 00 s");
    EXPECT_EQ(format_duration_us(125'000'000), "2 min 05 s");
    EXPECT_EQ(format_duration_us(11'220'000'000), "3 h 07 min");
    EXPECT_EQ(format_duration_us(-950), "-950 us");
    EXPECT_EQ(format_duration_us(std::numeric_limits<std::int64_t>::min()).front(), '-');
}

TEST(Units, WallClock) {
    // date -u -d '2026-11-20 23:57:04' +%s
    EXPECT_EQ(format_wall_clock_us(1'795'219'024'123'456), "2026-11-20 23:57:04.123456");
    EXPECT_EQ(format_wall_clock_us(0), "1970-01-01 00:00:00.000000");
    EXPECT_EQ(format_wall_clock_us(-1), "1969-12-31 23:59:59.999999");
    EXPECT_EQ(format_wall_clock_us(951'782'400'000'000), "2000-02-29 00:00:00.000000");
    EXPECT_EQ(format_wall_clock_us(std::numeric_limits<std::int64_t>::max()), "9223372036854775807 us");
}

}  // namespace
}  // namespace snapviewer
