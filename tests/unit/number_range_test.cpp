#include "core/timeline/search.h"

#include <gtest/gtest.h>

#include <limits>

namespace snapviewer::number_range_test {
namespace {

constexpr std::uint64_t k_max = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t k_mib = 1024 * 1024;

TEST(NumberRange, ReadsWhatPeopleWrite) {
    const auto bytes = [](const char* text) { return parse_number_range(text, Measure::bytes); };
    EXPECT_EQ(bytes("> 100 MiB"), (NumberRange{100 * k_mib + 1, k_max}));
    EXPECT_EQ(bytes(">100M"), (NumberRange{100 * k_mib + 1, k_max}));
    EXPECT_EQ(bytes("  >=  1.5 mb "), (NumberRange{3 * k_mib / 2, k_max}));
    EXPECT_EQ(bytes("<4K"), (NumberRange{0, 4095}));
    EXPECT_EQ(bytes("<= 4 KiB"), (NumberRange{0, 4096}));
    EXPECT_EQ(bytes("512"), (NumberRange{512, 512}));
    EXPECT_EQ(bytes("= 512 B"), (NumberRange{512, 512}));
    EXPECT_EQ(bytes("1 MiB..2 MiB"), (NumberRange{k_mib, 2 * k_mib}));
    EXPECT_EQ(parse_number_range("> 2 s", Measure::duration), (NumberRange{2'000'001, k_max}));
    EXPECT_EQ(parse_number_range("1.5ms .. 1 min", Measure::duration), (NumberRange{1500, 60'000'000}));
    EXPECT_EQ(parse_number_range("0xFFFFFFFFFFFFFFFF", Measure::count), (NumberRange{k_max, k_max}));
    EXPECT_EQ(parse_number_range("9007199254740993", Measure::count),
              (NumberRange{9007199254740993, 9007199254740993}));  // 2^53 + 1
}

TEST(NumberRange, WhatLiesBetweenTwoNumbersHasThoseOnBothSides) {
    EXPECT_EQ(parse_number_range("> 1.5", Measure::bytes), (NumberRange{2, k_max}));
    EXPECT_EQ(parse_number_range(">= 1.5", Measure::bytes), (NumberRange{2, k_max}));
    EXPECT_EQ(parse_number_range("< 1.5", Measure::bytes), (NumberRange{0, 1}));
    EXPECT_EQ(parse_number_range("<= 1.5", Measure::bytes), (NumberRange{0, 1}));
    const auto exactly = parse_number_range("1.5", Measure::bytes);
    ASSERT_TRUE(exactly);
    EXPECT_FALSE(exactly->contains(1) || exactly->contains(2));
}

TEST(NumberRange, NothingIsBelowZeroOrAboveTheLargest) {
    const auto below = parse_number_range("< 0", Measure::count);
    const auto above = parse_number_range("> 18446744073709551615", Measure::count);
    ASSERT_TRUE(below && above);
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, k_max})
        EXPECT_FALSE(below->contains(number) || above->contains(number)) << number;
}

TEST(NumberRange, AnyOtherTextIsNone) {
    for (const char* text : {"", " ", ">", "> MiB", "abc", "-1", "1 2", "1 GiBs", "> 1 s", "1..", "..2", "0x10", "1e3",
                             "inf", "nan", "99999999999999999999999", "1..2..3", "1.2.3"})
        EXPECT_FALSE(parse_number_range(text, Measure::bytes)) << text;
    EXPECT_FALSE(parse_number_range("1 B", Measure::count));
    EXPECT_FALSE(parse_number_range("0x", Measure::count));
    EXPECT_FALSE(parse_number_range("0x1G", Measure::count));
}

}  // namespace
}  // namespace snapviewer::number_range_test
