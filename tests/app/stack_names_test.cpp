#include "app/features/timeline/stack_names.h"

#include <gtest/gtest.h>

#include "tests/unit/trace_builder.h"

namespace snapviewer::stack_names_test {
namespace {

using test::lay_out;
using test::TraceBuilder;

/// The names of one allocation per stack, in their order. A frame is "file:line:function"; the innermost is first.
std::vector<std::string> names_of(
    const std::vector<std::vector<std::tuple<const char*, std::uint32_t, const char*>>>& stacks) {
    TraceBuilder trace;
    std::uint64_t address = 0;
    for (const auto& stack : stacks) {
        std::vector<Frame> frames;
        for (const auto& [file, line, function] : stack) frames.push_back({trace.text(file), trace.text(function), line});
        trace.alloc(address += 0x1000, 100);
        if (!frames.empty()) trace.with_stack(frames);
    }
    const Timeline timeline = lay_out(trace.build());
    std::vector<StackTotal> totals;
    for (const StackId stack : timeline.trace().allocations.stack) totals.push_back({stack});
    return stack_names(timeline, totals);
}

TEST(StackNames, NamePlaceAndFunctionOfTheOwnLine) {
    EXPECT_EQ(names_of({{{"??", 0, "c10::alloc"}, {"/me/model.py", 39, "forward"}, {"/me/train.py", 7, "step"}}, {}}),
              (std::vector<std::string>{"model.py:39 forward", "(no stack)"}));
}

TEST(StackNames, AddTheCallerAtWhichEqualOnesDiffer) {
    EXPECT_EQ(names_of({{{"model.py", 39, "forward"}, {"block.py", 5, "run"}, {"train.py", 12, "step"}},
                        {{"model.py", 39, "forward"}, {"block.py", 5, "run"}, {"train.py", 99, "evaluate"}},
                        {{"model.py", 40, "forward"}, {"block.py", 5, "run"}, {"train.py", 99, "evaluate"}}}),
              (std::vector<std::string>{"model.py:39 forward < train.py:12 step",
                                        "model.py:39 forward < train.py:99 evaluate", "model.py:40 forward"}));
}

TEST(StackNames, AddWhatWasCalledWhereTheCallersAreTheSame) {
    EXPECT_EQ(names_of({{{"??", 0, "conv"}, {"model.py", 39, "forward"}, {"train.py", 12, "step"}},
                        {{"??", 0, "linear"}, {"model.py", 39, "forward"}, {"train.py", 12, "step"}}}),
              (std::vector<std::string>{"model.py:39 forward > conv", "model.py:39 forward > linear"}));
}

TEST(StackNames, OneThatEndsWhereAnotherGoesOnIsTheShorter) {
    EXPECT_EQ(names_of({{{"model.py", 39, "forward"}}, {{"model.py", 39, "forward"}, {"train.py", 12, "step"}}}),
              (std::vector<std::string>{"model.py:39 forward", "model.py:39 forward < train.py:12 step"}));
}

}  // namespace
}  // namespace snapviewer::stack_names_test
