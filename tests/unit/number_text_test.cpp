#include "core/base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace snapviewer {
namespace {

TEST(NumberText, IsReadAsFarAsItGoes) {
    std::uint32_t line = 7;
    EXPECT_EQ(read_number("12: f", line), 2U);
    EXPECT_EQ(line, 12U);
    EXPECT_EQ(read_number(" 13", line), 0U);
    EXPECT_EQ(read_number("", line), 0U);
    EXPECT_EQ(read_number("4294967296", line), 0U);
    EXPECT_EQ(line, 12U) << "as it was";
    EXPECT_EQ(read_number("ff,", line, 16), 2U);
    EXPECT_EQ(line, 255U);
    double real = 1;
    EXPECT_EQ(read_number("-2.5e3x", real), 6U);
    EXPECT_EQ(real, -2500);
    EXPECT_EQ(read_number("1e999", real), 0U);
    EXPECT_EQ(real, -2500) << "as it was";
}

TEST(NumberText, IsANumberAsAWhole) {
    EXPECT_EQ(parse_number<int>("-5"), -5);
    EXPECT_EQ(parse_number<int>("5 "), std::nullopt);
    EXPECT_EQ(parse_number<int>(""), std::nullopt);
    EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
    EXPECT_EQ(parse_number<double>("0.25"), 0.25);
    EXPECT_EQ(parse_number<double>("0.25s"), std::nullopt);
    EXPECT_EQ(parse_number<double>(""), std::nullopt);
}

TEST(NumberText, ReadsSizesWithTheirUnits) {
    EXPECT_EQ(parse_byte_size("52428800"), 52428800.0);
    EXPECT_EQ(parse_byte_size("50MiB"), 52428800.0);
    EXPECT_EQ(parse_byte_size("50M"), 52428800.0);
    EXPECT_EQ(parse_byte_size("1.5k"), 1536.0);
    EXPECT_EQ(parse_byte_size("512B"), 512.0);
    EXPECT_EQ(parse_byte_size("20GB"), 20e9);
    EXPECT_EQ(parse_byte_size("-2TiB"), -0x1p41);
    EXPECT_EQ(parse_byte_size("1e6"), 1e6);
    for (const char* text : {"", "MiB", "5 MiB", "5MiBs", "5X", "5Mi", "5iB", "inf", "nan"}) {
        EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
    }
}

TEST(NumberText, ReadsAddressesAsPeopleWriteThem) {
    EXPECT_EQ(parse_address("0x7f3C00000000"), 0x7f3c00000000U);
    EXPECT_EQ(parse_address("0x000012c080000000"), 0x12c080000000U);
    EXPECT_EQ(parse_address("139900"), 139900U);
    EXPECT_EQ(parse_address("20615843020800"), 20615843020800U);
    EXPECT_EQ(parse_address("0xffffffffffffffff"), 0xffffffffffffffffU);
    EXPECT_EQ(parse_address("0xFFFFFFFFFFFFFFFF"), 0xffffffffffffffffU);
    for (const char* text : {"", "0x", "7f3c", "12 ", "-1", "N/A", "0x1ffffffffffffffff", "18446744073709551616"}) {
        EXPECT_EQ(parse_address(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace snapviewer
