#include "app/features/query/sql_text.h"

#include <gtest/gtest.h>

namespace snapviewer::sql_completion_test {
namespace {

const std::vector<sqlite::TableDoc> k_schema = {
    {"allocations",
     "every allocation",
     {{"id", "INTEGER", "its number"}, {"size", "INTEGER", "bytes"}, {"stack_id", "INTEGER", ""}}},
    {"allocs", "of one device", {{"idx", "INTEGER", ""}, {"size", "INTEGER", "bytes"}}},
    {"stacks", "call stacks", {{"id", "INTEGER", ""}, {"text", "TEXT", "the frames"}}}};
const std::vector<query::QueryParameter> k_parameters = {{":step", {}}, {":selected", {}}};

/// The completions at the "|" of a text.
std::vector<std::string> offered(std::string sql) {
    const std::size_t caret = sql.find('|');
    sql.erase(caret, 1);
    std::vector<std::string> names;
    for (const query::SqlName& each : query::complete_sql(sql, caret, k_schema, k_parameters, 10).names)
        names.push_back(each.text);
    return names;
}
using Names = std::vector<std::string>;

TEST(SqlCompletion, OffersTablesByTheirBeginning) {
    EXPECT_EQ(offered("SELECT * FROM ALL|"), (Names{"allocations", "allocs"}));
    EXPECT_EQ(offered("SELECT * FROM alloca|"), (Names{"allocations"}));
    EXPECT_TRUE(offered("SELECT * FROM allocs|").empty()) << "it is whole";
    EXPECT_TRUE(offered("SELECT * FROM |").empty()) << "nothing is typed";
}

TEST(SqlCompletion, OffersColumnsOfTheTablesThatTheStatementNames) {
    EXPECT_EQ(offered("SELECT si| FROM allocations"), (Names{"size"}));
    EXPECT_EQ(offered("SELECT si| FROM stacks"), Names{});
    EXPECT_EQ(offered("SELECT 1 FROM allocations; SELECT si| FROM stacks"), Names{}) << "another statement's";
    EXPECT_EQ(offered("SELECT s| FROM allocations").front(), "size");
}

TEST(SqlCompletion, OffersColumnsBehindATableOrItsAlias) {
    EXPECT_EQ(offered("SELECT allocs.| FROM allocs"), (Names{"idx", "size"}));
    EXPECT_EQ(offered("SELECT a.st| FROM allocations a JOIN stacks s"), (Names{"stack_id"}));
    EXPECT_EQ(offered("SELECT s.t| FROM allocations AS a JOIN stacks AS s"), (Names{"text"}));
    EXPECT_TRUE(offered("SELECT nobody.t| FROM allocations").empty());
}

TEST(SqlCompletion, OffersFunctionsAndParameters) {
    EXPECT_EQ(offered("SELECT hum|"), (Names{"human(bytes)"}));
    EXPECT_EQ(offered("SELECT :s|"), (Names{"step", "selected"}));
    EXPECT_EQ(offered("SELECT nul|"), (Names{"nullif(x, y)"}));
    EXPECT_TRUE(offered("SELECT null|").empty()) << "a keyword is whole";
}

/// The documentation of the name at the "|" of a text.
std::string told(std::string sql) {
    const std::size_t caret = sql.find('|');
    sql.erase(caret, 1);
    const std::optional<query::SqlName> name = query::sql_name_at(sql, caret, k_schema);
    return name ? name->text + ": " + name->kind + ": " + name->doc : "";
}

TEST(SqlCompletion, TellsOfTheNameAtTheCaret) {
    EXPECT_EQ(told("SELECT s|ize FROM allocations"), "size: column of allocations, INTEGER: bytes");
    EXPECT_EQ(told("SELECT s.text| FROM stacks s"), "text: column of stacks, TEXT: the frames");
    EXPECT_EQ(told("SELECT 1 FROM ALLOCS|"), "allocs: table: of one device");
    EXPECT_EQ(told("SELECT human(|size) FROM allocs").substr(0, 24), "human(bytes): function: ");
    EXPECT_EQ(told("SELECT sum|(size) FROM allocs").substr(0, 16), "sum(x): function");
    EXPECT_EQ(told("SELECT siz| FROM allocations"), "") << "no whole name";
    EXPECT_EQ(told("SELECT size| FROM stacks"), "") << "no column of that table";
    EXPECT_EQ(told("SELECT 'size| FROM allocations"), "");
    EXPECT_EQ(told("|"), "");
}

TEST(SqlCompletion, OffersNothingInStringsAndComments) {
    EXPECT_TRUE(offered("SELECT 'al|").empty());
    EXPECT_TRUE(offered("SELECT 1 -- al|").empty());
    EXPECT_TRUE(offered("SELECT 1 /* al| */").empty());
    EXPECT_EQ(offered("SELECT 'x' FROM alloca|"), (Names{"allocations"}));
}

TEST(SqlCompletion, ReplacesTheWordAlone) {
    const std::string sql = "SELECT size FROM alloca";
    EXPECT_EQ(query::complete_sql(sql, sql.size(), k_schema, k_parameters, 10).word_begin, 17U);
}

TEST(SqlCompletion, OffersTheTablesOfEitherOfTwoFiles) {
    std::vector<sqlite::TableDoc> schema = k_schema;
    for (sqlite::TableDoc doc : k_schema) {
        doc.name = "b." + doc.name;
        doc.schema = "b";
        schema.push_back(std::move(doc));
    }
    for (const std::string sql : {"SELECT * FROM a.sta", "SELECT * FROM b.sta"}) {
        const query::SqlCompletion found = query::complete_sql(sql, sql.size(), schema, k_parameters, 10);
        ASSERT_EQ(found.names.size(), 1U) << sql;
        EXPECT_EQ(found.names.front().text, "stacks");
    }
    EXPECT_TRUE(query::complete_sql("SELECT * FROM a.sta", 19, k_schema, k_parameters, 10).names.empty());
}

}  // namespace
}  // namespace snapviewer::sql_completion_test
