#include "core/analysis/flame_graph.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// main calls load (100 bytes) and train (which allocates 5 itself); train calls an operator (50 + 50); 7 bytes have no
/// stack.
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

Icicle graph_of(const Timeline& timeline, CallOrder order) {
    const StackLines lines = StackLines::build(timeline.snapshot()).value();
    return make_flame_graph(timeline, lines, {5, TreeFrames::filtered, order}).value();
}

/// "depth label start+width sizes of the allocations below" of every bar, level by level.
std::vector<std::string> drawn(const Timeline& timeline, const Icicle& icicle) {
    std::vector<std::string> bars;
    for (const IcicleNode& node : icicle.nodes) {
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
    const Icicle icicle = graph_of(timeline, CallOrder::callers_first);
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
    // Of equal ones the first by file: load.py before mul.cpp.
    EXPECT_EQ(drawn(timeline, graph_of(timeline, CallOrder::callees_first)), (std::vector<std::string>{
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
    const Icicle icicle = graph_of(timeline, CallOrder::callers_first);
    for (const AllocationId id : icicle.allocations) {
        const auto node = icicle.leaf_of(id);
        ASSERT_TRUE(node);
        const auto below = icicle.allocations_of(icicle.nodes[*node]);
        EXPECT_NE(std::ranges::find(below, id), below.end());
    }
    EXPECT_EQ(icicle.leaf_of(AllocationId{2}), 3U);
}

}  // namespace
}  // namespace snapviewer::test
