#include "app/features/timeline/allocation_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/budget.h"
#include "core/timeline/collect.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

/// A timeline with 1 MiB allocated by line 42 of train.py through PyTorch and freed 20 us later, and a free without a
/// recorded allocation.
Timeline make_timeline() {
    auto snapshot = std::make_shared<Snapshot>(
        *test::TraceBuilder().alloc(0xabc, 1 << 20).free(0xabc, 1 << 20).free(0xdef, 512).build());
    const auto frame = [&](const char* file, std::uint32_t line, const char* function) {
        return snapshot->stacks.intern_frame({snapshot->strings.intern(file), snapshot->strings.intern(function), line});
    };
    const FrameId frames[] = {frame("/x/site-packages/torch/nn/module.py", 7, "_call"),
                              frame("/home/me/train.py", 42, "step"), frame("/home/me/main.py", 3, "main")};
    const StackId stack = snapshot->stacks.intern_stack(frames);
    AllocationColumns& allocations = snapshot->devices[0].allocations;
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (allocations.address[i] == 0xabc) allocations.stack[i] = stack;
    }
    return test::lay_out(std::move(snapshot));
}

AllocationId at_address(const Timeline& timeline, std::uint64_t address) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::uint32_t id = 0;
    while (id < allocations.size() && allocations.address[id] != address) ++id;
    return AllocationId{id};
}

std::string value_of(const std::vector<Fact>& facts, const std::string& name) {
    const auto fact = std::ranges::find(facts, name, &Fact::name);
    return fact == facts.end() ? "" : fact->value;
}

TEST(AllocationText, SummaryNamesTheUsersOwnLine) {
    const Timeline timeline = make_timeline();
    const AllocationSummary summary = summarise(timeline, at_address(timeline, 0xabc));
    EXPECT_EQ(summary.size, "1.0 MiB (1,048,576 bytes)");
    EXPECT_EQ(summary.life, "2 steps, 20 us");
    EXPECT_EQ(summary.origin, "");
    EXPECT_EQ(summary.own_line, "step@train.py:42");
}

TEST(AllocationText, SummarySaysWhenOnlyTheFreeWasRecorded) {
    const Timeline timeline = make_timeline();
    const AllocationSummary summary = summarise(timeline, at_address(timeline, 0xdef));
    EXPECT_EQ(summary.size, "512 bytes");
    EXPECT_EQ(summary.origin, "allocated before the recording started; only its free was recorded");
    EXPECT_EQ(summary.own_line, "");
}

TEST(AllocationText, AStackOfTheFreeIsSaidToBeThat) {
    test::TraceBuilder trace;
    const Frame cleanup{trace.text("/home/me/train.py"), trace.text("cleanup"), 77};
    const Timeline timeline = test::lay_out(trace.alloc(0xabc, 64)
                                                .with_stack({cleanup})
                                                .event(Action::free_completed, 0xdef, 512)
                                                .with_stack({cleanup})
                                                .build());
    const AllocationId freed = at_address(timeline, 0xdef);
    const AllocationId own = at_address(timeline, 0xabc);
    EXPECT_EQ(summarise(timeline, freed).freed_by, "freed by ");
    EXPECT_EQ(summarise(timeline, freed).own_line, "cleanup@train.py:77");
    EXPECT_EQ(summarise(timeline, own).freed_by, "");
    const auto text_of = [&](AllocationId id) {
        return allocation_text({}, stack_lines(timeline, timeline.trace().allocations.stack[id.value]),
                               stack_role(timeline.trace(), id));
    };
    EXPECT_EQ(text_of(freed), "stack of the free, innermost first:\n/home/me/train.py:77:cleanup\n");
    EXPECT_EQ(text_of(own), "stack, innermost first:\n/home/me/train.py:77:cleanup\n");
}

TEST(AllocationText, FactsLeaveOutWhatIsNotKnown) {
    const Timeline timeline = make_timeline();
    const std::vector<Fact> facts = allocation_facts(timeline, at_address(timeline, 0xabc));
    EXPECT_EQ(value_of(facts, "address"), "0xabc");
    EXPECT_EQ(value_of(facts, "state"), "freed");
    // Including the 512 bytes from before the recording.
    EXPECT_EQ(value_of(facts, "total after"), "1.0 MiB (1,049,088 bytes)");
    EXPECT_EQ(value_of(facts, "alloc time"), "1970-01-01 00:00:01.000010");
    EXPECT_EQ(value_of(facts, "pool"), "");
    EXPECT_EQ(value_of(allocation_facts(timeline, at_address(timeline, 0xdef)), "alloc time"), "");
}

TEST(AllocationText, ASegmentIsCalledOne) {
    const auto snapshot = test::TraceBuilder()
                              .event(Action::segment_alloc, 0x1000, 1 << 21)
                              .segment(0x1000, {{1 << 21, BlockState::inactive}})
                              .build();
    const auto timeline = Timeline::build(snapshot, collect_segments(*snapshot, snapshot->devices[0]));
    ASSERT_EQ(timeline.allocation_count(), 1U);
    EXPECT_EQ(summarise(timeline, AllocationId{0}).what, "segment");
    EXPECT_EQ(counted(timeline, 2), "2 segments");
    const std::vector<Fact> facts = allocation_facts(timeline, AllocationId{0});
    EXPECT_EQ(value_of(facts, "state"), "reserved at the end");
    EXPECT_EQ(value_of(facts, "reserve event"), "0");
    EXPECT_EQ(value_of(facts, "alloc event"), "");
    EXPECT_EQ(value_of(facts, "segment"), "0x1000");
    EXPECT_EQ(value_of(facts, "number"), "0 of device 0");
}

TEST(AllocationText, WhatAPoolDoesNotUseHasNoAddress) {
    test::TraceBuilder trace;
    trace.segment(0x1000, {{300, BlockState::active_allocated}, {200, BlockState::inactive}});
    trace.raw().pools = {{0, 0}, {1, 2}};
    trace.raw().segments.back().pool = 1;
    const auto snapshot = trace.build();
    const auto pools = collect_pools(*snapshot, snapshot->devices[0]);
    const auto timeline = Timeline::build(snapshot, pools);
    ASSERT_EQ(timeline.allocation_count(), 2U);
    EXPECT_EQ(what_it_is(timeline, AllocationId{0}), "");
    EXPECT_EQ(what_it_is(timeline, AllocationId{1}), "unused capacity of pool (1, 2)");
    const std::vector<Fact> facts = allocation_facts(timeline, AllocationId{1});
    EXPECT_EQ(value_of(facts, "address"), "");
    EXPECT_EQ(value_of(facts, "state"), "");
    EXPECT_EQ(value_of(facts, "pool"), "(1, 2) private");
}

TEST(AllocationText, StackLinesAreMarkedAsOwnOrFramework) {
    const Timeline timeline = make_timeline();
    const AllocationId id = at_address(timeline, 0xabc);
    const std::vector<StackLine> lines = stack_lines(timeline, timeline.trace().allocations.stack[id.value]);
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].kind, FrameKind::framework);
    EXPECT_EQ(lines[1].kind, FrameKind::top_user);
    EXPECT_EQ(lines[1].place, "train.py:42");
    EXPECT_EQ(lines[2].kind, FrameKind::user);
    EXPECT_EQ(stack_lines_text(lines),
              "/x/site-packages/torch/nn/module.py:7:_call\n/home/me/train.py:42:step\n/home/me/main.py:3:main\n");
}

TEST(AllocationText, AFrameOfTorchFxTellsItsNodeAndWhereItCameFrom) {
    Snapshot snapshot;
    Frame frame{snapshot.strings.intern("<eval_with_key>.3"), snapshot.strings.intern("forward"), 9};
    frame.fx =
        snapshot.strings.intern(R"({"fx_node_op": "call_function", "fx_node_name": "add_3", "fx_node_target": "aten.add",)"
                                R"( "fx_original_trace": "File \"net.py\", line 5\n    y = x + 1\n"})");
    const StackLine line = stack_line(snapshot, snapshot.stacks.intern_frame(frame));
    EXPECT_EQ(line.fx, (std::vector<std::string>{"torch.fx: call_function add_3, target aten.add", "File \"net.py\", line 5",
                                                 "    y = x + 1"}));
    EXPECT_EQ(
        stack_lines_text({line}),
        "<eval_with_key>.3:9:forward\n    torch.fx: call_function add_3, target aten.add\n    File \"net.py\", line 5\n"
        "        y = x + 1\n");
    frame.fx = StringId::none();
    EXPECT_TRUE(stack_line(snapshot, snapshot.stacks.intern_frame(frame)).fx.empty());
}

/// A timeline with one allocation, whose stack has 200,000 calls with long names and a long forward stack.
Timeline make_long_timeline() {
    const std::string name(100'000, 'n');
    test::TraceBuilder trace;
    const Frame frame{trace.text(name + ".py"), trace.text(name), 7};
    std::string forward;
    for (int i = 0; i < 5000; ++i) forward += "forward.py:7:call\n";
    EventMetadata noted;
    noted.user_metadata = noted.compile_context = trace.text("[" + std::string(1 << 20, '1') + "]");
    noted.forward_frames = trace.text(forward);
    trace.alloc(0xabc, 1 << 20).with_stack(std::vector<Frame>(200'000, frame)).with_metadata(noted);
    return test::lay_out(trace.build());
}

TEST(AllocationText, WhatIsLongIsCutAndSaysByHowMuch) {
    const Timeline timeline = make_long_timeline();
    const AllocationId id{0};
    const std::vector<StackLine> stack = stack_lines(timeline, timeline.trace().allocations.stack[0]);
    ASSERT_LT(stack.size(), 100U);  // 256 KiB of texts of 8 KiB each
    EXPECT_EQ(stack.back().function, more_frames(200'000 - (stack.size() - 1)));
    EXPECT_LE(stack.front().function.size(), limits::k_max_frame_bytes);
    EXPECT_LE(stack.front().place.size(), limits::k_max_frame_bytes + 10);
    const std::vector<std::string> forward = forward_stack_lines(timeline, id);
    ASSERT_EQ(forward.size(), limits::k_max_path_frames + 1);
    EXPECT_EQ(forward.back(), "\u2026 3,976 more frames");
    const std::vector<Fact> facts = allocation_facts(timeline, id);
    for (const Fact& fact : facts) EXPECT_LE(fact.value.size(), limits::k_max_fact_bytes) << fact.name;
    EXPECT_TRUE(value_of(facts, "user metadata").ends_with("1]"));
    EXPECT_LT(allocation_text(facts, stack).size(), limits::k_max_stack_bytes + (64U << 10));
    EXPECT_LE(summarise(timeline, id).own_line.size(), 2 * limits::k_max_source_bytes + 20);
}

TEST(AllocationText, WhatAFileKnowsBeyondTheTraceIsCutToo) {
    DetailSection lines{"kernels", {}};
    for (int i = 0; i < 2000; ++i) lines.rows.emplace_back("", "kernel");
    const DetailSection value{"owner", {{"name", std::string(1 << 20, 'x')}}};
    const std::vector<DetailSection> cut = within_budget({value, lines, value});
    EXPECT_EQ(cut[0].rows[0].second.size(), limits::k_max_fact_bytes - 1);
    ASSERT_EQ(cut[1].rows.size(), limits::k_max_path_frames);  // the first section has used one row
    EXPECT_EQ(cut[1].rows.back().second, "\u2026 977 more lines");
    EXPECT_EQ(cut[2].rows.front().second, "\u2026 1 more line");
    EXPECT_EQ(within_budget({{"owner", {{"name", "value"}}}})[0].rows.front().second, "value");
}

TEST(AllocationText, ClipboardTextWithoutAStackHasNoHeadingForIt) {
    EXPECT_EQ(allocation_text({{"size", "5 bytes"}}, {}), "size: 5 bytes\n");
}

}  // namespace
}  // namespace snapviewer
