#include "core/system/memory.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace snapviewer {
namespace {

TEST(FindText, IsTheFirstPlace) {
    EXPECT_EQ(find_text("a needle in needles", "needle"), 2U);
    EXPECT_EQ(find_text("aaaaaab", "aab"), 4U);
    EXPECT_EQ(find_text("abcabcabd", "abcabd"), 3U);
    EXPECT_EQ(find_text("short", "longer than that"), std::string_view::npos);
    EXPECT_EQ(find_text("text", ""), 0U);
    EXPECT_EQ(find_text("", "x"), std::string_view::npos);
    EXPECT_EQ(find_text(std::string_view("a\0b", 3), std::string_view("\0b", 2)), 1U);
}

/// Texts of two letters, so that most patterns partly match in many places.
TEST(FindText, IsWhereTheStandardLibraryFindsIt) {
    std::mt19937 random(1);
    const auto letters = [&](std::size_t most) {
        std::string text(random() % (most + 1), 'a');
        for (char& letter : text) letter = static_cast<char>('a' + random() % 2);
        return text;
    };
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = letters(40);
        const std::string wanted = letters(6);
        ASSERT_EQ(find_text(text, wanted), text.find(wanted)) << text << " " << wanted;
    }
}

}  // namespace
}  // namespace snapviewer
