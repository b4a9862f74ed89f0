#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/document/analysis_tables.h"
#include "core/query/catalog.h"

namespace snapviewer::test {
namespace {

// To regenerate docs/sql.md after a change of the schema, run: SNAPVIEWER_WRITE_DOCS=1 unit_tests
// --gtest_filter=QuerySchemaDoc.*
TEST(QuerySchemaDoc, IsUpToDate) {
    const auto path = std::filesystem::path(SNAPVIEWER_SOURCE_DIR) / "docs" / "sql.md";
    const std::string wanted = schema_markdown(
        analysis_tables(std::make_shared<const Analyses>(Snapshot(), std::vector<std::shared_ptr<const Timeline>>())));
    if (std::getenv("SNAPVIEWER_WRITE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << wanted;
    std::ifstream file(path, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator(file), {}), wanted);
}

}  // namespace
}  // namespace snapviewer::test
