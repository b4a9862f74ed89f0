#include "app/features/query/sql_text.h"

#include <gtest/gtest.h>

#include <string>

namespace snapviewer::sql_tokens_test {
namespace {

const std::vector<sqlite::TableDoc> k_schema = {{"allocations", "", {}}, {"b.stacks", "", {}}};

/// Replaces every token by the first letter of its kind, and plain text by dots.
std::string painted(std::string_view sql) {
    std::string paint(sql.size(), '.');
    for (const query::SqlToken& token : query::sql_tokens(sql, k_schema)) {
        EXPECT_LT(token.begin, token.end);
        for (std::size_t i = token.begin; i < token.end; ++i) {
            EXPECT_EQ(paint[i], '.') << "two pieces at byte " << i;
            paint[i] = "ktfsncp"[static_cast<std::size_t>(token.kind)];
        }
    }
    return paint;
}

TEST(SqlTokens, TellsKeywordsTablesAndFunctionsFromNames) {
    EXPECT_EQ(painted("SELECT size, count(*) FROM Allocations a"),  //
              "kkkkkk.......fffff....kkkk.ttttttttttt..");
    EXPECT_EQ(painted("selected"), "........");
    EXPECT_EQ(painted("x IN (1)"), "..kk..n.") << "what is a keyword is no function";
    EXPECT_EQ(painted("a.first"), ".......") << "a column is no keyword, whatever its name";
}

TEST(SqlTokens, TellsTextsFromQuotedNames) {
    EXPECT_EQ(painted("'it''s' \"from\" [from] `from` 'x"), "sssssss......................ss");
    EXPECT_EQ(painted("'-- no comment'"), "sssssssssssssss");
}

TEST(SqlTokens, TellsComments) {
    EXPECT_EQ(painted("1 -- from 2\n3"), "n.ccccccccccn");
    EXPECT_EQ(painted("/* a\n'b' */ 1"), "ccccccccccc.n");
    EXPECT_EQ(painted("1 /* on"), "n.ccccc");
    EXPECT_EQ(painted("1 - 2"), "n...n");
}

TEST(SqlTokens, TellsNumbers) {
    EXPECT_EQ(painted("0x1F+1.5e-3-.5"), "nnnn.nnnnnn.nn");
    EXPECT_EQ(painted("a1 = 1"), ".....n");
    EXPECT_EQ(painted("0xe-1"), "nnn.n") << "no exponent";
}

TEST(SqlTokens, TellsParameters) {
    EXPECT_EQ(painted(":step = ?1 + $x + @y"), "ppppp...pp...pp...pp");
    EXPECT_EQ(painted("a : b"), ".....");
    EXPECT_EQ(painted("':step'"), "sssssss");
}

TEST(SqlTokens, HasNothingToTellOfNothing) { EXPECT_TRUE(query::sql_tokens("", k_schema).empty()); }

TEST(SqlTitle, IsTheCommentAtTheBeginningOrTheFirstWords) {
    EXPECT_EQ(query::sql_title("-- What grows\nSELECT 1"), "What grows");
    EXPECT_EQ(query::sql_title("\n/* What\n grows */ SELECT 1"), "What grows");
    EXPECT_EQ(query::sql_title("--\nSELECT  1,\n       2"), "SELECT 1, 2");
    EXPECT_EQ(query::sql_title("  "), "");
    EXPECT_EQ(query::sql_title(std::string(70, 'x')), std::string(60, 'x') + "…");
    EXPECT_EQ(query::sql_title(std::string(59, 'x') + "ä and more"), std::string(59, 'x') + "…") << "no half of a character";
}

}  // namespace
}  // namespace snapviewer::sql_tokens_test
