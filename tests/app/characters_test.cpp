#include "app/ui/texts.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

std::vector<char32_t> characters_in(std::string_view text) {
    CharacterSet set;
    set.add(text);
    return set.characters();
}

TEST(CharactersTest, EachOnceAndOnlyThoseBeyondAscii) {
    // U+00E9, U+5185 and U+1F600 have two, three and four bytes.
    EXPECT_EQ(characters_in("caf\xC3\xA9 \xE5\x86\x85.py caf\xC3\xA9 \xF0\x9F\x98\x80"),
              (std::vector<char32_t>{0xE9, 0x5185, 0x1F600}));
    EXPECT_TRUE(characters_in("plain.py").empty());
}

TEST(CharactersTest, WhatIsNoUtf8IsPassedOver) {
    // Invalid sequences: a continuation byte alone, a lead byte without continuation, an overlong slash, a surrogate, a code
    // point beyond the last, a truncated character.
    for (const char* text : {"\x80", "\xC3(", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE5\x86", "\xFF"})
        EXPECT_EQ(characters_in(std::string(text) + "\xC3\xA9"), (std::vector<char32_t>{0xE9})) << text;
}

TEST(CharactersTest, ContainsWhatWasAdded) {
    CharacterSet set;
    set.add("\xE5\x86\x85");
    EXPECT_TRUE(set.contains(0x5185));
    EXPECT_FALSE(set.contains(0x5186));
    EXPECT_FALSE(set.contains(0x1F600));
}

}  // namespace
}  // namespace snapviewer
