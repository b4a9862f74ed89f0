#include "core/base/text.h"

#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

namespace snapviewer::test {
namespace {

TEST(Text, WhatIsNotUtf8IsReplacedAsUnicodeRecommends) {
    // The example of the Unicode Standard, section 3.9, table 3-11.
    EXPECT_EQ(valid_utf8("a\xF1\x80\x80\xE1\x80\xC2"
                         "b\x80"
                         "c\x80\xBF"
                         "d"),
              "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
    // Overlong encodings, half of a surrogate pair, a character beyond U+10FFFF and a truncated one: each byte that cannot
    // continue a character is replaced.
    EXPECT_EQ(valid_utf8("\xC0\xAF"), "\uFFFD\uFFFD");
    EXPECT_EQ(valid_utf8("\xE0\x80\x80"), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(valid_utf8("x\xF0\x9F\x98"), "x\uFFFD");
    EXPECT_EQ(valid_utf8("\u007F\u0080\u07FF\u0800\uD7FF\uE000\uFFFF\U00010000\U0010FFFF"),
              "\u007F\u0080\u07FF\u0800\uD7FF\uE000\uFFFF\U00010000\U0010FFFF");
}

TEST(Text, NothingSteersATerminal) {
    EXPECT_EQ(terminal_text("\x1B[31m\a\x7F\u0085\u009B\u202E\u2066\u200F\u2029"),
              "\\u001b[31m\\u0007\\u007f\\u0085\\u009b\\u202e\\u2066\\u200f\\u2029");
    EXPECT_EQ(terminal_text(std::string_view("a\0b", 3)), "a\\u0000b");
    EXPECT_EQ(terminal_text("\xFF\x1B\xE2\x80"), "\\xff\\u001b\\xe2\\x80");
    EXPECT_EQ(terminal_text("C:\\new \u00E4 \u4E2D \U0001F600 \u00A0"), "C:\\new \u00E4 \u4E2D \U0001F600 \u00A0");
}

/// Sequences that CI servers interpret as commands: docs.github.com/actions and Azure Pipelines' logging commands.
TEST(Text, NothingIsACommandToTheServerOfALog) {
    EXPECT_EQ(terminal_text("##vso[task.complete] ##VSO[x] ##[error] ###[a ##x ## [b #[c"),
              "\\u0023#vso[task.complete] \\u0023#VSO[x] \\u0023#[error] #\\u0023#[a ##x ## [b #[c");
    EXPECT_EQ(terminal_text("::error::x"), "::error::x") << "is in the middle of a line";
    EXPECT_EQ(terminal_text("::error::x\n a::b\n  ::c\n\u00A0::d\n::\n:e\n", LineFeeds::kept),
              "\\u003a:error::x\n a::b\n  \\u003a:c\n\u00A0\\u003a:d\n\\u003a:\n:e\n");
    EXPECT_EQ(terminal_text("a::b ::c\n##[x]\n::d##[y", LineFeeds::kept), "a::b ::c\n\\u0023#[x]\n\\u003a:d\\u0023#[y");
    EXPECT_EQ(json_quoted("##vso[a]"), "\"\\u0023#vso[a]\"");
}

TEST(Text, LineFeedsAreKeptWhereTheyAreOurs) {
    EXPECT_EQ(terminal_text("a\tb\r\nc\rd\n"), "a\\tb\\u000d\\nc\\u000dd\\n");
    EXPECT_EQ(terminal_text("a\tb\r\nc\rd\n", LineFeeds::kept), "a\\tb\nc\\u000dd\n");
}

TEST(Text, JsonStringsKeepTheDataAndAreHarmless) {
    EXPECT_EQ(json_quoted("\"\\\n\t\x01\x7F\u009B\u202E\u00E4\xFF"), R"("\"\\\n\t\u0001\u007f\u009b\u202e)"
                                                                     "\u00E4\uFFFD\"");
}

TEST(Text, JsonStringsAreThoseOfAJsonLibrary) {
    std::mt19937 chance(7);
    const std::string_view pieces[] = {"a",        "\"",       "\\",
                                       "\b",       "\f",       "\r",
                                       "\t",       "\x01",     "/",
                                       "\u00E4",   "\u202E",   "\U0001F600",
                                       "\xFF",     "\xE2\x80", "\xED\xA0\x80",
                                       "\xF0\x9F", "\xC0",     "plain text of some length"};
    for (int i = 0; i < 2000; ++i) {
        std::string text;
        for (int j = 0; j < 6; ++j) text += pieces[chance() % std::size(pieces)];
        const std::string expected = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        ASSERT_EQ(nlohmann::json::parse(json_quoted(text)), nlohmann::json::parse(expected)) << expected;
        ASSERT_EQ(json_quoted(text), terminal_text(expected));
    }
}

TEST(Text, ShortenedKeepsBothEnds) {
    EXPECT_EQ(shortened("0123456789", 10), "0123456789");
    EXPECT_EQ(shortened("0123456789a", 10), "01 ... 9a");
    EXPECT_EQ(shortened("\u00E4\u00E4\u00E4\u00E4\u00E4\u00E4\u00E4", 11), "\u00E4 ... \u00E4");
    EXPECT_EQ(shortened("0123456789", 0), " ... ");
    EXPECT_EQ(shortened(std::string(100, '\x80'), 15).size(), 9U);  // not UTF-8 at all
}

TEST(Text, NamesAreOrderedByTheValueOfNumbersInThem) {
    EXPECT_LT(compare_names("rank2", "rank10"), 0);
    EXPECT_GT(compare_names("rank10", "rank2"), 0);
    EXPECT_LT(compare_names("rank2/b", "rank10/a"), 0);
    EXPECT_LT(compare_names("a", "a1"), 0);
    EXPECT_LT(compare_names("a9", "b1"), 0);
    EXPECT_EQ(compare_names("a7", "a7"), 0);
    // Names that differ only in leading zeros still have a fixed order.
    EXPECT_NE(compare_names("a07", "a7"), 0);
    EXPECT_EQ(compare_names("a07", "a7"), -compare_names("a7", "a07"));
}

TEST(Text, NamesAreOrderedWhateverTheirCaseWhereThatIsAsked) {
    EXPECT_LT(compare_names("B", "a"), 0);
    EXPECT_GT(compare_names("B", "a", LetterCase::ignored), 0);
    EXPECT_LT(compare_names("RANK2", "rank10", LetterCase::ignored), 0);
    EXPECT_NE(compare_names("A", "a", LetterCase::ignored), 0) << "they are two names";
    EXPECT_LT(compare_names("z", "\xc3\xa9"), 0) << "bytes beyond ASCII come last";
}

TEST(Text, LettersAndDigitsAreThoseOfAscii) {
    std::string letters;
    std::string digits;
    for (int c = -128; c < 256; ++c) {
        if (is_letter(c)) letters += static_cast<char>(c);
        if (is_digit(c)) digits += static_cast<char>(c);
    }
    EXPECT_EQ(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    EXPECT_EQ(digits, "0123456789");
    EXPECT_EQ(lower_case("@AZ[`az{\xc3\x84"), "@az[`az{\xc3\x84");
}

TEST(Text, APartIsFoundInAnyCase) {
    EXPECT_TRUE(contains_in_any_case("Expandable_Segments", "segments"));
    EXPECT_TRUE(contains_in_any_case("segments", "SEGMENTS"));
    EXPECT_TRUE(contains_in_any_case("segments", ""));
    EXPECT_FALSE(contains_in_any_case("segment", "segments"));
    EXPECT_FALSE(contains_in_any_case("\xc3\x84", "\xc3\xa4")) << "letters beyond ASCII are as they are";
}

}  // namespace
}  // namespace snapviewer::test
