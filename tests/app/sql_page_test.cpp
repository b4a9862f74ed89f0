#include "app/features/query/sql_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace snapviewer::sql_page_test {
namespace {

/// A measure of line width in which each byte is one column wide.
query::FitsInLine columns(std::size_t count) {
    return [count](std::string_view text) { return std::min(count, text.size()); };
}

/// A measure of line width in which each character, such as the two-byte ä, is one column wide.
query::FitsInLine characters(std::size_t count) {
    return [count](std::string_view text) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < count && at < text.size(); ++i) at = query::past_character(text, at);
        return at;
    };
}

std::vector<std::string> texts(std::string_view sql, const query::FitsInLine& fits) {
    std::vector<std::string> lines;
    for (const auto& [begin, end] : query::wrap_sql(sql, fits)) lines.emplace_back(sql.substr(begin, end - begin));
    return lines;
}

using Texts = std::vector<std::string>;

TEST(SqlPage, LinesBreakBehindABlank) {
    EXPECT_EQ(texts("SELECT size FROM allocs", columns(12)), (Texts{"SELECT size ", "FROM allocs"}));
    EXPECT_EQ(texts("SELECT size FROM allocs", columns(11)), (Texts{"SELECT size ", "FROM allocs"}));
    EXPECT_EQ(texts("SELECT size FROM allocs", columns(100)), (Texts{"SELECT size FROM allocs"}));
    EXPECT_EQ(texts("abcdefgh", columns(3)), (Texts{"abc", "def", "gh"}));
    EXPECT_EQ(texts("ääää", characters(3)), (Texts{"äää", "ä"}));
    EXPECT_EQ(texts("äb", columns(0)), (Texts{"ä", "b"})) << "a character at least";
}

TEST(SqlPage, LineFeedsBreakToo) {
    EXPECT_EQ(texts("", columns(5)), (Texts{""}));
    EXPECT_EQ(texts("a\n\nbcd e\n", columns(4)), (Texts{"a", "", "bcd ", "e", ""}));
}

/// Covers lines that were wrapped and lines separated by a line feed.
TEST(SqlPage, WhereACaretStands) {
    const std::string sql = "aa bb\ncc";
    const std::vector<query::SqlSpan> lines = query::wrap_sql(sql, columns(3));
    ASSERT_EQ(lines, (std::vector<query::SqlSpan>{{0, 3}, {3, 5}, {6, 8}}));
    EXPECT_EQ(query::line_of_byte(lines, 2), 0U);
    EXPECT_EQ(query::line_of_byte(lines, 3), 1U);
    EXPECT_EQ(query::line_of_byte(lines, 5), 1U) << "before the line feed";
    EXPECT_EQ(query::line_of_byte(lines, 8), 2U);
    EXPECT_EQ(query::last_caret_of(lines, 0, sql), 2U) << "byte 3 is in the next";
    EXPECT_EQ(query::last_caret_of(lines, 1, sql), 5U);
    EXPECT_EQ(query::last_caret_of(lines, 2, sql), 8U);
    const std::string wide = "ääää";
    EXPECT_EQ(query::last_caret_of(query::wrap_sql(wide, characters(2)), 0, wide), 2U) << "not within a character";
}

TEST(SqlPage, TheWordOfADoubleClick) {
    const std::string sql = "SELECT a.size, 'x'";
    EXPECT_EQ(query::word_around(sql, 0), (query::SqlSpan{0, 6}));
    EXPECT_EQ(query::word_around(sql, 6), (query::SqlSpan{0, 6})) << "right behind it";
    EXPECT_EQ(query::word_around(sql, 10), (query::SqlSpan{9, 13}));
    EXPECT_EQ(query::word_around(sql, 14), (query::SqlSpan{14, 15})) << "a blank";
    EXPECT_EQ(query::word_around(sql, sql.size()), (query::SqlSpan{18, 18}));
    EXPECT_EQ(query::word_around("", 0), (query::SqlSpan{0, 0}));
}

}  // namespace
}  // namespace snapviewer::sql_page_test
