#include "core/exports/export.h"

#include <gtest/gtest.h>

#include <random>

namespace snapviewer {
namespace {

std::string encoded(std::string_view bytes, std::size_t piece_bytes) {
    std::string text;
    exports::Base64Writer writer([&](std::string_view more) {
        text += more;
        return true;
    });
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) EXPECT_TRUE(writer.write(bytes.substr(at, piece_bytes)));
    EXPECT_TRUE(writer.end());
    return text;
}

// Test vectors of RFC 4648, section 10.
TEST(Base64Writer, KnownTexts) {
    const std::pair<const char*, const char*> k_known[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : k_known) {
        for (const std::size_t piece : {1U, 2U, 3U, 4U, 5U, 100U}) EXPECT_EQ(encoded(bytes, piece), text) << piece;
    }
    EXPECT_EQ(encoded("\xff\xfe\xfd\xfb\xff", 1), "//79+/8=");
}

TEST(Base64Writer, PiecesMakeNoDifference) {
    std::mt19937 random(3);
    std::string bytes(200'000, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const std::string whole = encoded(bytes, bytes.size());
    EXPECT_EQ(whole.size(), (bytes.size() + 2) / 3 * 4);
    for (const std::size_t piece : {1U, 7U, 65'536U, 100'001U}) EXPECT_EQ(encoded(bytes, piece), whole) << piece;
}

TEST(Base64Writer, EndsWhereItsOutputDoes) {
    exports::Base64Writer writer([](std::string_view) { return false; });
    EXPECT_FALSE(writer.write(std::string(1'000'000, 'x')) && writer.end());
}

}  // namespace
}  // namespace snapviewer
