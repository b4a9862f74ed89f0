#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/fields.h"
#include "core/trace/stack_table.h"

namespace snapviewer::test {
namespace {

struct Sample {
    std::string name = "a";
    std::uint64_t address = 1ULL << 63;
    bool is_new = true;
    std::optional<double> share = {};
    StackId stack = StackId::none();
};

const Fields<Sample> k_sample_fields = {
    {"name", FieldUnit::text, "its name", &Sample::name},
    {"address", FieldUnit::address, "its address", &Sample::address, named_in_json("at")},
    {"is_new", FieldUnit::flag, "1 if it is new", &Sample::is_new},
    {"share", FieldUnit::number, "its share; NULL if unknown", &Sample::share},
    {"stack_id", FieldUnit::id, "stacks.id; NULL without one", &Sample::stack, k_only_in_tables},
    {"length", FieldUnit::count, "length of the name", [](const Sample& row) { return row.name.size(); }, k_only_in_json}};

TEST(Fields, OneListDescribesColumnsAndJson) {
    std::string columns;
    for (const ColumnDoc& column : k_sample_fields.columns()) columns += column.name + " " + column.type + ", ";
    EXPECT_EQ(columns, "name TEXT, address INTEGER, is_new INTEGER, share REAL, stack_id INTEGER, ");
    EXPECT_EQ(k_sample_fields.cells(Sample()), (std::vector<Cell>{"a", INT64_MIN, std::int64_t{1}, Cell(), Cell()}));
    EXPECT_EQ(k_sample_fields.json(Sample()).dump(),
              R"({"name":"a","at":9223372036854775808,"is_new":true,"share":null,"length":1})");
}

struct Scale {
    std::int64_t factor;
};

/// A row that is a pointer, with a field that depends on a context.
TEST(Fields, ReadMembersThroughPointersAndUseTheContext) {
    const Fields<const Sample*, const Scale> fields = {
        {"name", FieldUnit::text, "its name", &Sample::name},
        {"scaled", FieldUnit::count, "the factor", [](const Sample&, const Scale& scale) { return scale.factor; }}};
    const Sample sample;
    const Scale scale{7};
    EXPECT_EQ(fields.cells(&sample, scale), (std::vector<Cell>{"a", std::int64_t{7}}));
}

}  // namespace
}  // namespace snapviewer::test
