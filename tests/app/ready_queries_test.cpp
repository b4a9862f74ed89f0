#include "app/features/query/ready_queries.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace snapviewer {
namespace {

sqlite::TableDoc run_time_entries(const std::string& schema) {
    return {"run_time_entries", "", {{"forward_ms", "REAL", ""}}, true, schema, ""};
}

std::string slowest_forward(const std::vector<sqlite::TableDoc>& schema) {
    const std::vector<query::ReadyQuery> queries = query::ready_queries_of(schema);
    const auto found = std::ranges::find(queries, std::string_view("Slowest forward"), &query::ReadyQuery::name);
    return found == queries.end() ? "" : found->sql;
}

TEST(ReadyQueries, AskTheFileThatHasTheTable) {
    EXPECT_EQ(slowest_forward({}), "");
    EXPECT_NE(slowest_forward({run_time_entries("file")}).find("JOIN file.stack_frames"), std::string::npos);
    const std::string of_pair = slowest_forward({run_time_entries("run_time")});
    EXPECT_NE(of_pair.find("JOIN run_time.stack_frames"), std::string::npos);
    EXPECT_EQ(of_pair.find("file."), std::string::npos);
}

}  // namespace
}  // namespace snapviewer
