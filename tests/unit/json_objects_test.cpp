#include "core/load/pytorch/json_snapshot.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/load/pytorch/object_builder.h"
#include "tests/unit/column_values.h"
#include "tests/unit/json_pieces.h"

namespace snapviewer {
namespace {

using test::Pieces;

std::string event(int address, int line = 7) {
    return R"({"action": "alloc", "addr": )" + std::to_string(address) +
           R"(, "size": 512, "stream": 0, "pool_id": [0, 0], "frames": [
        {"name": "inner", "filename": "a.py", "line": )" +
           std::to_string(line) + R"(, "extra": {"deep": [1]}},
        {"name": "outer", "filename": "b.py", "line": 9}]})";
}

std::string list_of_events(int count) {
    std::string text = "[" + event(0);
    for (int i = 1; i < count; ++i) text += "," + event(i);
    return text + "]";
}

std::unique_ptr<Snapshot> read(std::string_view text) {
    Pieces pieces(text, 50);
    Budget budget;
    pytorch::ObjectBuilder builder(budget);
    const pytorch::Value root = pytorch::read_json_objects(pieces, builder);
    return pytorch::finish_events(builder, {&root, 1});
}

Error error_of(std::string_view text) {
    const auto snapshot = caught([&] { return read(text); });
    EXPECT_FALSE(snapshot) << text;
    return snapshot ? Error() : snapshot.error();
}

TEST(JsonObjects, ReadsEventsAndInternsTheirStacks) {
    const auto snapshot = read(list_of_events(3));
    const EventColumns& events = snapshot->devices.at(0).events;
    EXPECT_EQ(test::values_of(events.address), (std::vector<std::uint64_t>{0, 1, 2}));
    EXPECT_EQ(events.size_bytes, (std::vector<std::uint64_t>{512, 512, 512}));
    EXPECT_EQ(snapshot->stacks.stack_count(), 1U);
    EXPECT_EQ(stack_text(snapshot->strings, snapshot->stacks, events.stack[2]), "a.py:7:inner\nb.py:9:outer");
}

/// Describes the events and all import notes as text.
std::string everything_in(std::string_view text, std::size_t piece_bytes) {
    Pieces pieces(text, piece_bytes);
    Budget budget;
    pytorch::ObjectBuilder builder(budget);
    const pytorch::Value root = pytorch::read_json_objects(pieces, builder);
    const auto snapshot = pytorch::finish_events(builder, {&root, 1});
    std::string told;
    const EventColumns& events = snapshot->devices.at(0).events;
    for (std::size_t i = 0; i < events.size(); ++i) {
        told += std::to_string(events.address[i]) + " ";
        told += events.stack[i].is_some() ? stack_text(snapshot->strings, snapshot->stacks, events.stack[i]) : "no stack";
        told += "\n";
    }
    for (const ImportEntry& entry : snapshot->log.entries())
        told += std::string(entry.code) + " " + entry.message + " " + std::to_string(entry.count) + "\n";
    return told;
}

TEST(JsonObjects, AreTheSameWhetherTheirStacksAreRecognisedOrRead) {
    // In pieces of a few bytes no stack is complete, so that each is parsed instead of recognised.
    const std::vector<std::string> stacks = {
        R"([{"name": "f", "filename": "a.py", "line": 1}])",
        R"([{"name": "f", "filename": "a.py", "line": 1}, {"name": "g", "filename": "b.py", "line": 2}])",
        R"([ {"name":"f","filename":"a.py","line":1} ])",
        R"([{"name": "f", "filename": "a.py", "line": 1, "odd": [1, [2]]}])",
        R"([{"name": "f", "name": "twice", "filename": "a.py", "line": 3}])",
        R"([{"name": "f", "filename": "a.py", "line": NaN}])",
        R"([{"name": "\u00e9]", "filename": "[a.py", "line": 4}])",
        R"([{"name": "f", "filename": "a.py", "line": 1, "fx_node_op": [{"filename": "c", "name": "h", "line": 5}]}])",
        "[]",
        "null",
    };
    std::mt19937 random(7);
    std::string text = "[";
    for (int i = 0; i < 400; ++i) {
        const std::string& stack =
            random() % 4 == 0 ? stacks[random() % stacks.size()] : stacks[static_cast<std::size_t>(i) % 2];
        text += (i == 0 ? "" : ",") + std::string(R"({"action": "alloc", "frames": )") + stack + R"(, "addr": )" +
                std::to_string(i) + "}";
    }
    text += "]";
    const std::string read = everything_in(text, 5);
    EXPECT_NE(read.find("b.py:2:g"), std::string::npos);
    EXPECT_NE(read.find("duplicate_key"), std::string::npos);
    for (const int piece_bytes : {100, 1000, 10'000, 1'000'000})
        EXPECT_EQ(everything_in(text, static_cast<std::size_t>(piece_bytes)), read);
}

TEST(JsonObjects, WorkInASpaceThatDoesNotGrowWithTheEvents) {
    const auto sizes_after = [](int count) {
        const std::string text = list_of_events(count);
        Pieces pieces(text, 4096);
        Budget budget;
        pytorch::ObjectBuilder builder(budget);
        pytorch::read_json_objects(pieces, builder);
        const pytorch::ObjectBuilder::Sizes sizes = builder.sizes();
        return std::vector{sizes.lists, sizes.dicts, sizes.lists_of_values, sizes.dicts_of_pairs};
    };
    EXPECT_EQ(sizes_after(1000), sizes_after(1));
}

TEST(JsonObjects, TakeALineThatNoFileHasAsNotKnown) {
    const auto line_of = [](const std::string& line) {
        const auto snapshot =
            read(R"([{"action": "alloc", "addr": 1, "frames": [{"name": "f", "filename": "a.py", "line": )" + line + "}]}]");
        return snapshot->stacks.frame(FrameId{0}).line;
    };
    EXPECT_EQ(line_of("2147483647"), 2147483647U);
    EXPECT_EQ(line_of("2147483648"), 0U);
    EXPECT_EQ(line_of("18446744073709551615"), k_line_minus_one);
    EXPECT_EQ(line_of("-1"), k_line_minus_one);
}

TEST(JsonObjects, RefuseWhatIsNotAnEvent) {
    const std::string before = "[" + event(1) + ", 5";
    for (const std::string& text :
         {std::string("{}"), std::string("[5]"), "[5, " + event(1) + "]", before + "]", before + ", " + event(2) + "]"})
        EXPECT_EQ(error_of(text).code, ErrorCode::bad_file) << text;
    // An error is found at the byte that ends the value.
    EXPECT_EQ(error_of(before + "]").offset, before.size() + 1);
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"size", "\"large\""}, {"frames", "5"}}) {
        const std::string upto_value = R"([{"action": "alloc", ")" + key + "\": " + value;
        const Error error = error_of(upto_value + "}]");
        EXPECT_EQ(error.code, ErrorCode::bad_file);
        EXPECT_TRUE(error.message.starts_with("'" + key + "' ")) << error.message;
        EXPECT_EQ(error.offset, upto_value.size() + 1);
    }
}

TEST(JsonObjects, OfAnEmptyListAreNoEvents) { EXPECT_EQ(read("[]")->devices.at(0).events.size(), 0U); }

}  // namespace
}  // namespace snapviewer
