#include "app/features/query/sql_text.h"

#include <gtest/gtest.h>

namespace snapviewer::sql_parameters_test {
namespace {

TEST(SqlParameters, AValueIsReadAsAUserWritesIt) {
    EXPECT_EQ(query::typed_value(" 12 "), Cell(std::int64_t{12}));
    EXPECT_EQ(query::typed_value("-9223372036854775808"), Cell(INT64_MIN));
    EXPECT_EQ(query::typed_value("1.5e3"), Cell(1500.0));
    EXPECT_EQ(query::typed_value("Null"), Cell());
    EXPECT_EQ(query::typed_value("12 MiB"), Cell(std::string("12 MiB")));
    EXPECT_EQ(query::typed_value("'12'"), Cell(std::string("12")));
    EXPECT_EQ(query::typed_value("'it''s'"), Cell(std::string("it's")));
    EXPECT_EQ(query::typed_value("''"), Cell(std::string()));
    EXPECT_EQ(query::typed_value("'"), Cell(std::string("'")));
}

TEST(SqlParameters, WhatIsGivenStandsForWhatTheWindowShows) {
    const std::vector<query::QueryParameter> shown = {{":step", std::int64_t{5}}, {":selected", {}}};
    const std::vector<query::QueryParameter> all =
        query::with_given(shown, {{":step", "7"}, {":selected", "  "}, {":own", "x"}});
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].value, Cell(std::int64_t{7}));
    EXPECT_EQ(all[1].value, Cell()) << "nothing is given";
    EXPECT_EQ(all[2].name, ":own");
    EXPECT_EQ(all[2].value, Cell(std::string("x")));
}

}  // namespace
}  // namespace snapviewer::sql_parameters_test
