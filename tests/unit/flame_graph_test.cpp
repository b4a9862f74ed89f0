#include "core/analysis/stacks/icicle.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// Calls of a program: main calls load (100 bytes) and train (which allocates 5 itself); train calls an operator (50 + 50).
/// 7 bytes have no stack.
Timeline nested_calls() {
    TraceBuilder trace;
    const auto frame = [&](const char* file, std::uint32_t number, const char* function) {
        return Frame{trace.text(file), trace.text(function), number};
    };
    const Frame main = frame("main.py", 1, "main");
    const Frame load = frame("load.py", 2, "load");
    const Frame train = frame("/usr/lib/python3.11/site-packages/torch/train.py", 3, "train");
    const Frame operation = frame("mul.cpp", 4, "at::mul(int)");
    trace.alloc(0x1000, 100).with_stack({load, main});
    trace.alloc(0x2000, 50).with_stack({operation, train, main});
    trace.alloc(0x4000, 5).with_stack({train, main});
    trace.alloc(0x5000, 7);
    trace.alloc(0x3000, 50).with_stack({operation, train, main});
    return lay_out(trace.build());
}

stacks::Icicle graph_of(const Timeline& timeline, stacks::CallOrder order) {
    const StackLines lines = StackLines::build(timeline.snapshot());
    return stacks::make_flame_graph(timeline, lines, {5, {stacks::TreeFrames::filtered, order}});
}

/// Describes every bar, level by level: "depth label start+width sizes of the allocations below".
std::vector<std::string> drawn(const Timeline& timeline, const stacks::Icicle& icicle) {
    std::vector<std::string> bars;
    for (const stacks::IcicleNode& node : icicle.nodes) {
        std::string text = std::to_string(node.depth) + " " + node.label + " " +
                           std::to_string(static_cast<int>(node.start)) + "+" +
                           std::to_string(static_cast<int>(node.width)) + ":";
        for (const AllocationId id : icicle.allocations_of(node))
            text += " " + std::to_string(timeline.trace().allocations.size_bytes[id.value]);
        bars.push_back(text);
    }
    return bars;
}

TEST(FlameGraph, CallersAreAboveWhatTheyCallTheLargestFirst) {
    const Timeline timeline = nested_calls();
    const stacks::Icicle icicle = graph_of(timeline, stacks::CallOrder::callers_first);
    EXPECT_EQ(drawn(timeline, icicle), (std::vector<std::string>{
                                           "0 all 0+212: 5 50 50 100 7",
                                           "1 main  main.py:1 0+205: 5 50 50 100",
                                           "1 (no stack) 205+7: 7",
                                           "2 train  train.py:3 0+105: 5 50 50",
                                           "2 load  load.py:2 105+100: 100",
                                           "3 at::mul(int) 0+100: 50 50",
                                       }));
    EXPECT_EQ(icicle.total, 212);
    EXPECT_EQ(icicle.level_ends, (std::vector<std::uint32_t>{1, 3, 5, 6}));
    EXPECT_EQ(icicle.nodes[1].group, IcicleGroup::own_code);
    EXPECT_EQ(icicle.nodes[3].group, IcicleGroup::library_code);
    EXPECT_EQ(icicle.nodes[5].group, IcicleGroup::native_code);
    EXPECT_EQ(icicle.nodes[5].parent, 3U);
}

TEST(FlameGraph, OrWhatAllocatesAboveItsCallers) {
    const Timeline timeline = nested_calls();
    // Bars of equal size are sorted by file: load.py before mul.cpp.
    EXPECT_EQ(drawn(timeline, graph_of(timeline, stacks::CallOrder::callees_first)),
              (std::vector<std::string>{
                  "0 all 0+212: 100 50 50 7 5",
                  "1 load  load.py:2 0+100: 100",
                  "1 at::mul(int) 100+100: 50 50",
                  "1 (no stack) 200+7: 7",
                  "1 train  train.py:3 207+5: 5",
                  "2 main  main.py:1 0+100: 100",
                  "2 train  train.py:3 100+100: 50 50",
                  "2 main  main.py:1 207+5: 5",
                  "3 main  main.py:1 100+100: 50 50",
              }));
}

TEST(FlameGraph, AnAllocationLeadsToItsBar) {
    const Timeline timeline = nested_calls();
    const stacks::Icicle icicle = graph_of(timeline, stacks::CallOrder::callers_first);
    for (const AllocationId id : icicle.allocations) {
        const auto node = icicle.leaf_of(id);
        ASSERT_TRUE(node);
        const auto below = icicle.allocations_of(icicle.nodes[*node]);
        EXPECT_NE(std::ranges::find(below, id), below.end());
    }
    EXPECT_EQ(icicle.leaf_of(AllocationId{2}), 3U);
}

stacks::Icicle graph_around(const Timeline& timeline, const stacks::FlameMoment& moment) {
    return stacks::make_flame_graph(timeline, StackLines::build(timeline.snapshot()), moment);
}

/// Recursive calls: step calls forward from two lines; forward calls layer, which calls itself once; init calls layer, too.
/// In bytes: 100 by layer in layer in forward:20, 40 by forward:21 itself, 8 by layer from init, 3 without layer.
Timeline recursive_calls() {
    TraceBuilder trace;
    const auto frame = [&](const char* file, std::uint32_t number, const char* function) {
        return Frame{trace.text(file), trace.text(function), number};
    };
    const Frame step = frame("train.py", 1, "step");
    const Frame init = frame("train.py", 2, "init");
    const Frame first = frame("model.py", 20, "forward");
    const Frame second = frame("model.py", 21, "forward");
    const Frame layer = frame("layer.py", 30, "layer");
    const Frame inner = frame("layer.py", 31, "layer");
    trace.alloc(0x1000, 100).with_stack({layer, inner, first, step});
    trace.alloc(0x2000, 40).with_stack({second, step});
    trace.alloc(0x3000, 8).with_stack({layer, init});
    trace.alloc(0x4000, 3).with_stack({init});
    trace.alloc(0x5000, 1);
    return lay_out(trace.build());
}

TEST(FlameGraph, AroundAFunctionItsCallersStandAboveIt) {
    const Timeline timeline = recursive_calls();
    const stacks::Icicle icicle = graph_around(timeline, {5, {.around = stacks::CallFunction{"layer.py", "layer"}}});
    EXPECT_EQ(icicle.total, 108);
    EXPECT_EQ(icicle.root_row, 2U);
    // Callers are nearest to the function's row. A stack is cut at the outermost call of the function; an inner call counts
    // as a callee.
    EXPECT_EQ(drawn(timeline, icicle), (std::vector<std::string>{
                                           "0 step  train.py:1 0+100: 100",
                                           "1 forward  model.py:20 0+100: 100",
                                           "1 init  train.py:2 100+8: 8",
                                           "2 layer  layer.py 0+108: 8 100",
                                           "3 layer  layer.py:30 0+100: 100",
                                       }));
    EXPECT_EQ(icicle.level_ends, (std::vector<std::uint32_t>{1, 3, 4, 5}));
    EXPECT_EQ(icicle.nodes[0].parent, 1U);
    EXPECT_EQ(icicle.nodes[1].parent, 3U);
    EXPECT_EQ(icicle.nodes[3].parent, stacks::IcicleNode::k_none);
    EXPECT_EQ(icicle.nodes[4].parent, 3U);
    EXPECT_TRUE(icicle.nodes[3].is_call());
}

TEST(FlameGraph, AFunctionIsAllItsLinesAndKeptWhateverFramesCount) {
    const Timeline timeline = recursive_calls();
    const stacks::Icicle all = graph_around(timeline, {5, {.around = stacks::CallFunction{"model.py", "forward"}}});
    EXPECT_EQ(drawn(timeline, all), (std::vector<std::string>{
                                        "0 step  train.py:1 0+140: 100 40",
                                        "1 forward  model.py 0+140: 40 100",
                                        "2 layer  layer.py:31 0+100: 100",
                                        "3 layer  layer.py:30 0+100: 100",
                                    }));
    // A C++ function among frames of Python.
    const Timeline nested = nested_calls();
    const stacks::Icicle native =
        graph_around(nested, {5, {stacks::TreeFrames::own, {}, stacks::CallFunction{"mul.cpp", "at::mul(int)"}}});
    EXPECT_EQ(drawn(nested, native),
              (std::vector<std::string>{"0 main  main.py:1 0+100: 50 50", "1 at::mul(int) 0+100: 50 50"}));
    EXPECT_EQ(graph_around(timeline, {5, {.around = stacks::CallFunction{"model.py", "nobody"}}}).total, 0);
}

/// Allocations of 100 bytes freed at once, 40 freed after the range, 8 that stay, and 3 from before the range.
Timeline coming_and_going() {
    TraceBuilder trace;
    const auto line = [&](const char* function) {
        return std::vector<Frame>{{trace.text("a.py"), trace.text(function), 1}};
    };
    trace.alloc(0x1000, 3).with_stack(line("before"));       // tick 1
    trace.alloc(0x2000, 100).with_stack(line("temporary"));  // tick 2
    trace.free(0x2000, 100);                                 // tick 3
    trace.alloc(0x3000, 40).with_stack(line("activation"));  // tick 4
    trace.alloc(0x4000, 8).with_stack(line("weight"));       // tick 5
    trace.free(0x3000, 40);                                  // tick 6
    return lay_out(trace.build());
}

TEST(FlameGraph, IsOfARangeAsWell) {
    const Timeline timeline = coming_and_going();
    EXPECT_EQ(drawn(timeline, graph_around(timeline, {5, {}, stacks::FlameSelection::allocated, 1})),
              (std::vector<std::string>{"0 all 0+148: 100 40 8", "1 temporary  a.py:1 0+100: 100",
                                        "1 activation  a.py:1 100+40: 40", "1 weight  a.py:1 140+8: 8"}));
    EXPECT_EQ(drawn(timeline, graph_around(timeline, {5, {}, stacks::FlameSelection::remaining, 1})),
              (std::vector<std::string>{"0 all 0+48: 40 8", "1 activation  a.py:1 0+40: 40", "1 weight  a.py:1 40+8: 8"}));
    EXPECT_EQ(graph_around(timeline, {6, {}, stacks::FlameSelection::remaining, 1}).total, 8);
}

TEST(FlameGraph, FoldedStacksAreWholeHoweverItIsTurned) {
    const Timeline timeline = recursive_calls();
    const StackLines lines = StackLines::build(timeline.snapshot());
    const stacks::FlameMoment moment{
        5, {stacks::TreeFrames::own, stacks::CallOrder::callees_first, stacks::CallFunction{"layer.py", "layer"}}};
    EXPECT_EQ(stacks::flame_as_folded(timeline, lines, moment),
              "train.py:1:step;model.py:20:forward;layer.py:31:layer;layer.py:30:layer 100\n"
              "train.py:1:step;model.py:21:forward 40\n"
              "train.py:2:init;layer.py:30:layer 8\n"
              "train.py:2:init 3\n"
              "(no stack) 1\n");
}

}  // namespace
}  // namespace snapviewer::test
