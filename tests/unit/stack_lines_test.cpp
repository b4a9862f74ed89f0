#include "core/trace/stack_lines.h"

#include <gtest/gtest.h>

#include "core/base/context.h"
#include "core/trace/stack_table.h"

namespace snapviewer {
namespace {

struct Line {
    const char* file;
    std::uint32_t number;
    const char* function;
};

/// Adds stacks, each given with the innermost frame first.
struct StackMaker {
    StackId add(const std::vector<Line>& lines) {
        std::vector<FrameId> ids;
        for (const Line& line : lines) {
            const StringId file = snapshot.strings.intern(line.file);
            ids.push_back(snapshot.stacks.intern_frame({file, snapshot.strings.intern(line.function), line.number}));
        }
        return snapshot.stacks.intern_stack(ids);
    }
    std::string source(const std::vector<Line>& lines) {
        const StackId id = add(lines);
        const StackLines all = StackLines::build(snapshot);
        EXPECT_EQ(all.source(id), stack_source(snapshot, id)) << "one alone and all at once";
        EXPECT_EQ(all.key(id), StackKeys(snapshot, StackIdentity::lines).key(id));
        EXPECT_EQ(all.own_line(id), own_line(snapshot, id));
        EXPECT_EQ(OwnLines(snapshot).of(id), own_line(snapshot, id));
        return all.source(id);
    }
    Snapshot snapshot;
};

constexpr Line k_allocator{"??", 0, "c10::cuda::CUDACachingAllocator::Native::malloc(void**, unsigned long)"};
constexpr Line k_torch{"/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", 125, "forward"};
constexpr Line k_own{"/home/me/train.py", 42, "train_step"};

TEST(StackLines, HashesAsFnv1aDoes) {
    // Values from the test vectors that the authors of FNV publish.
    EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325ULL);
    EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cULL);
    EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8ULL);
    EXPECT_EQ(key_text(0x0fULL), "000000000000000f");
}

TEST(StackLines, APathIsTheSameOnEveryMachine) {
    EXPECT_EQ(normal_path("/opt/venv/lib/python3.11/site-packages/torch/nn/module.py"), "torch/nn/module.py");
    EXPECT_EQ(normal_path("C:\\env\\Lib\\Site-Packages\\torch\\nn\\module.py"), "torch/nn/module.py");
    EXPECT_EQ(normal_path("/a/site-packages/b/site-packages/c.py"), "c.py") << "the last one counts";
    EXPECT_EQ(normal_path("/usr/lib/python3/dist-packages/yaml/loader.py"), "yaml/loader.py");
    EXPECT_EQ(normal_path("/usr/lib64/python3.9/threading.py"), "python/threading.py");
    EXPECT_EQ(normal_path("/usr/lib/python3./odd.py"), "odd.py") << "a version has digits";
    EXPECT_EQ(normal_path("/usr/lib/python3x/lib/python3.10/a/b.py"), "python/a/b.py") << "the first that fits";
    EXPECT_EQ(normal_path("<frozen runpy>"), "<frozen runpy>");
    EXPECT_EQ(normal_path("D:\\work\\train.py"), "train.py");
    EXPECT_EQ(normal_path("train.py"), "train.py");
    EXPECT_EQ(normal_path(""), "");
}

TEST(StackLines, TellsWhoseAFileIs) {
    EXPECT_TRUE(is_own_file("/home/me/train.py"));
    EXPECT_TRUE(is_own_file("C:\\work\\model.ipynb"));
    EXPECT_TRUE(is_own_file("/src/pytorch/torch/nn/module.py")) << "somebody's own checkout";
    EXPECT_FALSE(is_own_file("torch/nn/module.py"));
    EXPECT_FALSE(is_own_file("C:\\env\\lib\\site-packages\\x.py"));
    EXPECT_FALSE(is_own_file("/usr/lib/python3.10/runpy.py"));
    EXPECT_FALSE(is_own_file("<string>"));
    EXPECT_TRUE(is_python_file("<string>"));
    EXPECT_FALSE(is_python_file("<unknown>"));
    EXPECT_FALSE(is_own_file("/home/me/kernel.cu"));
    EXPECT_TRUE(is_hidden_frame("", "PyEval_EvalFrameDefault"));
    EXPECT_TRUE(is_hidden_frame("/usr/src/python/Objects/call.c", "f"));
    EXPECT_FALSE(is_hidden_frame("/home/me/train.py", "train_step"));
}

TEST(StackLines, NamesAStackByTheInnermostOwnLine) {
    StackMaker stacks;
    EXPECT_EQ(stacks.source({k_allocator, k_torch, k_own, {"/home/me/main.py", 3, "main"}}), "train_step@train.py:42");
    EXPECT_EQ(stacks.source({{"/home/me/wrap.py", 9, "inner"}, k_torch, k_own}), "train_step@train.py:42")
        << "plumbing last";
    EXPECT_EQ(stacks.source({k_allocator, {"/home/me/run.py", 7, "<module>"}}), "<module>@run.py:7") << "but before others'";
    EXPECT_EQ(stacks.source({{"/x/site-packages/torch/nn/module.py", 9, "_call_impl"}, k_torch, k_allocator}),
              "forward@torch/nn/modules/linear.py:125");
}

TEST(StackLines, NamesCppByWhatTellsMost) {
    StackMaker stacks;
    const Line node{"??", 0, "torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)"};
    const Line operation{"??", 0, "at::_ops::mul::call(at::Tensor const&)"};
    EXPECT_EQ(stacks.source({k_allocator, operation, node}), "MmBackward0");
    EXPECT_EQ(stacks.source({k_allocator, operation}), "at::_ops::mul");
    EXPECT_EQ(stacks.source({{"", 0, "torch::autograd::AccumulateGrad::apply(x)"}}), "AccumulateGrad");
    EXPECT_EQ(stacks.source({{"", 0, "Backward0::apply"}}), "Backward0::apply") << "a node has a name before Backward";
    EXPECT_EQ(stacks.source({{"", 0, "at::_ops::redispatch"}}), "at::_ops::redispatch") << "not a call, but a function";
    EXPECT_EQ(stacks.source({k_allocator, {"a.cpp", 1, "run(int, int)"}}), "run");
    EXPECT_EQ(stacks.source({{"a.cpp", 1, "(anonymous)"}}), "(anonymous)") << "never an empty name";
    EXPECT_EQ(stacks.source({k_allocator}), "c10::cuda::CUDACachingAllocator::Native::malloc");
}

/// The name of a stack whose innermost call is generated code with this trace, called by a line of the user's program.
std::string source_of_generated(const char* trace) {
    Snapshot snapshot;
    const auto intern = [&](const char* text) { return snapshot.strings.intern(text); };
    Frame generated{intern("/cache/torchinductor_me/x.py"), intern("call"), 7};
    set_original_line(generated, snapshot.strings, trace);
    const Frame own{intern("/home/me/train.py"), intern("train_step"), 42};
    const StackId stack = snapshot.stacks.intern_stack(
        std::vector{snapshot.stacks.intern_frame(generated), snapshot.stacks.intern_frame(own)});
    EXPECT_EQ(StackLines::build(snapshot).source(stack), stack_source(snapshot, stack));
    return stack_source(snapshot, stack);
}

TEST(StackLines, GeneratedCodeIsNamedByTheLineItWasMadeFrom) {
    EXPECT_EQ(source_of_generated("  File \"/home/me/net.py\", line 12, in forward\n    a = self.net1(x)\n"),
              "forward@net.py:12");
    EXPECT_EQ(source_of_generated(
                  "  File \"/home/me/train.py\", line 9, in main\n    model(x)\n"
                  "  File \"/home/me/net.py\", line 12, in forward\n    a = self.net1(x)\n"
                  "  File \"/env/site-packages/torch/nn/modules/linear.py\", line 125, in forward\n    F.linear\n"),
              "forward@net.py:12")
        << "the innermost line of the program's own";
    EXPECT_EQ(source_of_generated("File \"net.py\", line 5\n    y = x + 1"), "call@net.py:5") << "no function is told";
    for (const char* trace : {"", "a\nb", "File \"net.py\", line x, in f", "File \"net.py", "File \"",
                              "File \"/env/site-packages/torch/nn/modules/linear.py\", line 125, in forward"})
        EXPECT_EQ(source_of_generated(trace), "train_step@train.py:42") << trace;
}

TEST(StackLines, ALineThatIsMinusOneIsNotShownAsZero) {
    constexpr std::uint64_t k_minus_one = ~std::uint64_t{0};
    StackMaker stacks;
    const StackId id = stacks.add({{"a.py", frame_line(k_minus_one), "f"}});
    EXPECT_EQ(stack_text(stacks.snapshot.strings, stacks.snapshot.stacks, id), "a.py:18446744073709551615:f");
    EXPECT_EQ(stack_source(stacks.snapshot, id), "f@a.py:18446744073709551615");
    EXPECT_EQ(StackLines::build(stacks.snapshot).key(id), fnv1a("a.py:18446744073709551615:f"));
    EXPECT_FALSE(stacks.snapshot.stacks.frame(FrameId{0}).knows_line());
    EXPECT_EQ(frame_line(0x80000000U), 0U) << "no source file has such a line";
}

TEST(StackLines, NoStackIsSaidToBeNone) {
    const Snapshot snapshot;
    const StackLines lines = StackLines::build(snapshot);
    EXPECT_EQ(lines.key(StackId::none()), 0U);
    EXPECT_EQ(lines.source(StackId::none()), "(no stack)");
    EXPECT_FALSE(lines.own_line(StackId::none()).is_some());
    EXPECT_EQ(StackKeys(snapshot, StackIdentity::functions).key(StackId::none()), 0U);
}

TEST(StackLines, TheKeyLeavesOutWhatDiffersBetweenMachines) {
    StackMaker stacks;
    const StackId here = stacks.add({{"", 0, "PyObject_Call"}, k_own, k_torch});
    const StackId there = stacks.add({{"D:\\code\\train.py", 42, "train_step"},
                                      {"D:\\env\\Site-Packages\\torch\\nn\\modules\\linear.py", 125, "forward"}});
    const StackId moved = stacks.add({{"/home/me/train.py", 43, "train_step"}, k_torch});
    const StackLines lines = StackLines::build(stacks.snapshot);
    EXPECT_EQ(lines.key(here), fnv1a("train.py:42:train_step\ntorch/nn/modules/linear.py:125:forward"));
    EXPECT_EQ(lines.key(there), lines.key(here));
    EXPECT_NE(lines.key(moved), lines.key(here));
    const auto by = [&](StackId id, StackIdentity identity) { return StackKeys(stacks.snapshot, identity).key(id); };
    EXPECT_EQ(by(moved, StackIdentity::functions), by(here, StackIdentity::functions));
    EXPECT_EQ(by(here, StackIdentity::functions), fnv1a("train.py:0:train_step\ntorch/nn/modules/linear.py:0:forward"));
}

TEST(StackLines, PythonIdentityLeavesOutCpp) {
    StackMaker stacks;
    const auto by_python = [&](const std::vector<Line>& lines) {
        const StackId id = stacks.add(lines);
        return StackKeys(stacks.snapshot, StackIdentity::python).key(id);
    };
    EXPECT_EQ(by_python({k_allocator, k_own}), fnv1a("train.py:42:train_step"));
    EXPECT_EQ(by_python({{"a.cpp", 1, "f"}}), fnv1a("a.cpp:1:f")) << "without Python, what there is";
}

TEST(StackLines, AStackOfHiddenFramesAloneIsKeptWhole) {
    StackMaker stacks;
    const StackId id = stacks.add({{"", 0, "PyObject_Call"}, {"x/ceval.c", 5, "f"}});
    const StackLines lines = StackLines::build(stacks.snapshot);
    EXPECT_EQ(lines.key(id), fnv1a(":0:PyObject_Call\nceval.c:5:f"));
    EXPECT_EQ(lines.source(id), "PyObject_Call");
    EXPECT_TRUE(lines.is_hidden(FrameId{0}));
}

TEST(StackLines, CanBeStopped) {
    StackMaker stacks;
    stacks.add({k_own});
    Progress progress;
    progress.request_stop();
    const auto built = caught(&progress, [&] { return StackLines::build(stacks.snapshot); });
    ASSERT_FALSE(built.ok());
    EXPECT_EQ(built.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace snapviewer
