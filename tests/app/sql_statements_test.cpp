#include "app/features/query/sql_text.h"

#include <gtest/gtest.h>

namespace snapviewer::sql_statements_test {
namespace {

std::vector<std::string> texts(const std::string& sql) {
    std::vector<std::string> found;
    for (const query::SqlSpan& each : query::sql_statements(sql))
        found.push_back(sql.substr(each.begin, each.end - each.begin));
    return found;
}

std::string at(const std::string& sql, const std::string& marker) {
    const std::size_t caret = sql.find(marker);
    std::string text = sql;
    text.erase(caret, marker.size());
    const query::SqlSpan found = query::statement_at(text, caret);
    return text.substr(found.begin, found.end - found.begin);
}

TEST(SqlStatements, AreApartBySemicolons) {
    EXPECT_EQ(texts("SELECT 1; SELECT 2 ;\n;"), (std::vector<std::string>{"SELECT 1", "SELECT 2"}));
    EXPECT_EQ(texts(" SELECT 1\n"), (std::vector<std::string>{"SELECT 1"}));
    EXPECT_TRUE(texts(" ; -- nothing; at all\n/* ; */").empty());
}

TEST(SqlStatements, KeepSemicolonsInStringsNamesAndComments) {
    EXPECT_EQ(texts("SELECT ';''', \"a;b\", [c;d] -- e;\n, 2; SELECT 3 /* ; */"),
              (std::vector<std::string>{"SELECT ';''', \"a;b\", [c;d] -- e;\n, 2", "SELECT 3"}));
    EXPECT_EQ(texts("SELECT 'never ends; SELECT 2"), (std::vector<std::string>{"SELECT 'never ends; SELECT 2"}));
}

TEST(SqlStatements, TheOneUnderTheCaret) {
    EXPECT_EQ(at("SELECT 1;| SELECT 2; SELECT 3", "|"), "SELECT 1");
    EXPECT_EQ(at("SELECT 1; SEL|ECT 2; SELECT 3", "|"), "SELECT 2");
    EXPECT_EQ(at("SELECT 1; SELECT 2; SELECT 3;\n|", "|"), "SELECT 3");
    EXPECT_EQ(at("|\n SELECT 1; SELECT 2", "|"), "SELECT 1");
    EXPECT_EQ(at("|", "|"), "");
}

TEST(SqlStatements, NameTheirParameters) {
    EXPECT_EQ(query::sql_parameters("SELECT :step, ':no', :view_end -- :comment\n WHERE x > :step"),
              (std::vector<std::string>{":step", ":view_end"}));
    EXPECT_TRUE(query::sql_parameters("SELECT 1").empty());
}

}  // namespace
}  // namespace snapviewer::sql_statements_test
