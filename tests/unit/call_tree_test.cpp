#include "core/analysis/stacks/call_tree.h"

#include <gtest/gtest.h>

#include "core/base/context.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// Describes the tree, one node per line: "depth frame inclusive exclusive count".
std::string drawn(const stacks::CallTree& tree) {
    std::string text;
    for (const stacks::CallTree::Node& node : tree.nodes) {
        text += std::string(2 * std::size_t{node.depth}, ' ') + tree.text(node) + " " +
                std::to_string(node.inclusive_bytes) + " " + std::to_string(node.exclusive_bytes) + " " +
                std::to_string(node.count) + "\n";
    }
    return text;
}

/// Calls of a program: main calls load (100 bytes) and train (which allocates 5 itself); train calls an operator through the
/// interpreter (50 + 50). 7 bytes have no stack, and 3 existed before the recording.
Timeline live_calls() {
    TraceBuilder trace;
    const auto frame = [&](const char* file, std::uint32_t number, const char* function) {
        return Frame{trace.text(file), trace.text(function), number};
    };
    const Frame main = frame("main.py", 1, "main");
    const Frame load = frame("load.py", 2, "load;all");
    const Frame train = frame("train.py", 3, "train");
    const Frame interpreter = frame("", 0, "PyEval_Call");
    const Frame operation = frame("mul.cpp", 4, "mul");
    trace.alloc(0x1000, 100).with_stack({load, main});
    trace.alloc(0x2000, 50).with_stack({operation, interpreter, train, main});
    trace.alloc(0x3000, 50).with_stack({operation, interpreter, train, main});
    trace.alloc(0x4000, 5).with_stack({train, main});
    trace.alloc(0x5000, 7);
    trace.event(Action::free_completed, 0x9000, 3).with_stack({main});
    return lay_out(trace.build());
}

stacks::CallTree tree_of(const Timeline& timeline, std::uint32_t tick, stacks::TreeFrames frames) {
    return stacks::make_call_tree(timeline, StackLines::build(timeline.snapshot()), tick, frames);
}

TEST(CallTree, AddsUpFromTheOutermostFrameDown) {
    const Timeline timeline = live_calls();
    EXPECT_EQ(drawn(tree_of(timeline, 5, stacks::TreeFrames::filtered)),
              "all 215 0 6\n"
              "  main.py:1:main 205 0 4\n"
              "    train.py:3:train 105 5 3\n"
              "      mul.cpp:4:mul 100 100 2\n"
              "    load.py:2:load;all 100 100 1\n"
              "  (no stack) 7 7 1\n"
              "  (allocated before the recording) 3 3 1\n");
}

TEST(CallTree, ShowsTheFramesAskedFor) {
    const Timeline timeline = live_calls();
    EXPECT_NE(drawn(tree_of(timeline, 5, stacks::TreeFrames::all)).find("PyEval_Call 100 0 2\n"), std::string::npos);
    EXPECT_EQ(drawn(tree_of(timeline, 5, stacks::TreeFrames::own)),
              "all 215 0 6\n"
              "  main.py:1:main 205 0 4\n"
              "    train.py:3:train 105 105 3\n"
              "    load.py:2:load;all 100 100 1\n"
              "  (no stack) 7 7 1\n"
              "  (allocated before the recording) 3 3 1\n");
    EXPECT_EQ(drawn(tree_of(timeline, 5, stacks::TreeFrames::python)), drawn(tree_of(timeline, 5, stacks::TreeFrames::own)));
}

TEST(CallTree, PythonFramesBeginWithTheProgramNotWithWhatLaunchedIt) {
    TraceBuilder trace;
    const auto frame = [&](const char* file, const char* function) {
        return Frame{trace.text(file), trace.text(function), 1};
    };
    const Frame start = frame("", "Py_RunMain");
    const Frame runpy = frame("<frozen runpy>", "_run_code");
    const Frame thread = frame("/usr/lib/python3.11/threading.py", "run");
    const Frame library = frame("/v/lib/python3.11/site-packages/torch/nn/modules/module.py", "_call_impl");
    const Frame train = frame("train.py", "train");
    trace.alloc(0x1000, 100).with_stack({train, library, runpy, start});
    trace.alloc(0x2000, 10).with_stack({train, thread, library, thread, start});
    trace.alloc(0x3000, 1).with_stack({thread, start});
    const Timeline timeline = lay_out(trace.build());
    EXPECT_EQ(drawn(tree_of(timeline, 3, stacks::TreeFrames::python)),
              "all 111 0 3\n"
              "  /v/lib/python3.11/site-packages/torch/nn/modules/module.py:1:_call_impl 110 0 2\n"
              "    train.py:1:train 100 100 1\n"
              "    /usr/lib/python3.11/threading.py:1:run 10 0 1\n"
              "      train.py:1:train 10 10 1\n"
              "  :1:Py_RunMain 1 0 1\n"
              "    /usr/lib/python3.11/threading.py:1:run 1 1 1\n");
}

TEST(CallTree, FoldedNamesKeepTheirLines) {
    TraceBuilder trace;
    trace.alloc(0x1000, 7).with_stack({Frame{trace.text("a.py"), trace.text("two\nlines\r;\n"), 1}});
    const Timeline timeline = lay_out(trace.build());
    EXPECT_EQ(stacks::folded_stacks(tree_of(timeline, 1, stacks::TreeFrames::all)), "a.py:1:two\\nlines\\r,\\n 7\n");
}

TEST(CallTree, IsOfOneMoment) {
    const Timeline timeline = live_calls();
    EXPECT_EQ(drawn(tree_of(timeline, 1, stacks::TreeFrames::own)),
              "all 103 0 2\n"
              "  main.py:1:main 100 0 1\n"
              "    load.py:2:load;all 100 100 1\n"
              "  (allocated before the recording) 3 3 1\n");
}

TEST(CallTree, FoldsForFlameGraphs) {
    const Timeline timeline = live_calls();
    EXPECT_EQ(stacks::folded_stacks(tree_of(timeline, 5, stacks::TreeFrames::own)),
              "main.py:1:main;train.py:3:train 105\n"
              "main.py:1:main;load.py:2:load,all 100\n"
              "(no stack) 7\n"
              "(allocated before the recording) 3\n");
}

TEST(CallTree, CanBeStopped) {
    const Timeline timeline = live_calls();
    Progress progress;
    progress.request_stop();
    const StackLines lines = StackLines::build(timeline.snapshot());
    EXPECT_FALSE(caught(&progress, [&] { return stacks::make_call_tree(timeline, lines, 5, stacks::TreeFrames::own); }));
}

TEST(CallTree, FramesHaveNames) {
    EXPECT_EQ(stacks::tree_frames_named("python"), stacks::TreeFrames::python);
    EXPECT_EQ(stacks::tree_frames_named("mine"), std::nullopt);
}

}  // namespace
}  // namespace snapviewer::test
