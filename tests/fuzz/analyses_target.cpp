// Runs every analysis of any sequence of events, and replays it under other allocator settings.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/report/report.h"
#include "core/analysis/space/address_space.h"
#include "core/analysis/space/holes.h"
#include "core/analysis/stacks/icicle.h"
#include "core/base/context.h"
#include "core/replay/what_if.h"
#include "core/timeline/collect.h"
#include "core/trace/snapshot.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/fuzz/made_up_trace.h"

namespace snapviewer::fuzz {
namespace {

constexpr std::size_t k_max_moments = 10;

struct MadeUpLine {
    const char* file;
    const char* function;
};
/// Frames by which the analyses recognise steps, phases and kinds.
constexpr std::array k_lines = {
    MadeUpLine{"train.py", "main"},
    MadeUpLine{"train.py", "forward"},
    MadeUpLine{"train.py", "backward"},
    MadeUpLine{"/usr/lib/python3/dist-packages/torch/optim/adam.py", "step"},
    MadeUpLine{"/usr/lib/python3/dist-packages/torch/optim/optimizer.py", "zero_grad"},
    MadeUpLine{"/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", "forward"},
    MadeUpLine{"??", "at::native::empty_cuda(long)"},
    MadeUpLine{"", "ncclAllReduce"},
};

/// Adds a stack of up to three frames to each event, and the annotations of a profiler.
void add_stacks(Snapshot& snapshot, ByteFeed& feed) {
    EventColumns& events = snapshot.devices[0].events;
    for (std::size_t i = 0; i < events.size(); ++i) {
        std::vector<FrameId> frames;
        for (std::uint8_t bits = feed.byte(); bits > 3 && frames.size() < 3; bits = static_cast<std::uint8_t>(bits / 8)) {
            const MadeUpLine& line = k_lines[bits % k_lines.size()];
            frames.push_back(snapshot.stacks.intern_frame(
                {snapshot.strings.intern(line.file), snapshot.strings.intern(line.function), bits}));
        }
        if (!frames.empty()) events.stack[i] = snapshot.stacks.intern_stack(frames);
    }
    while (!feed.at_end()) {
        const bool is_start = feed.byte() % 2 == 0;
        snapshot.annotations.push_back({snapshot.strings.intern(feed.byte() % 2 == 0 ? "ProfilerStep#1" : "Optimizer.step"),
                                        snapshot.strings.intern(is_start ? "START" : "END"), 0,
                                        1'000'000 + static_cast<std::int64_t>(feed.number() % 10'000)});
    }
}

void check_map(const space::AddressMoment& moment, const space::PoolNames& pools, ByteFeed& feed) {
    const space::AddressMap map = space::lay_out_address_map(moment, pools, 1 + feed.number(), feed.number());
    std::vector<std::uint64_t> laid_out(moment.ranges.size());
    for (const space::AddressMapLine& line : map.lines) {
        for (std::uint32_t i = 0; i < line.piece_count; ++i) {
            const space::AddressMapPiece& piece = map.pieces[line.first_piece + i];
            laid_out[piece.range] += piece.end - piece.begin;
            require(piece.offset_bytes <= map.line_bytes && piece.end - piece.begin <= map.line_bytes - piece.offset_bytes,
                    "a piece lies within its line");
        }
    }
    for (std::size_t i = 0; i < laid_out.size(); ++i)
        require(laid_out[i] == moment.ranges[i].range.end() - moment.ranges[i].range.address,
                "all of a range is on the map");
}

void look_at_moments(findings::DeviceAnalyses& device, ByteFeed& feed) {
    const auto space = device.address_space();
    const std::uint32_t count = space->moment_count();
    for (std::uint32_t moment = 0; moment < count; moment += std::max<std::uint32_t>(1, count / k_max_moments)) {
        const space::AddressMoment at = space->at(moment);
        check_map(at, space->facts().pools, feed);
        (void)space::pins_at(*space, at);
        (void)report::layout_json(device, moment);
    }
    (void)space::max_reserved_moment(*space);
}

/// Requires that callers and callees in a flame graph around a function have the same allocations.
void draw_around(const Timeline& timeline, const StackLines& lines, const stacks::IcicleNode& call) {
    const stacks::FlameMoment moment{timeline.peak_tick(), {.around = stacks::CallFunction{call.place.file, call.function}}};
    const auto graph = stacks::make_flame_graph(timeline, lines, moment);
    require(graph.entries.size() == 2 * graph.allocations.size() && !graph.allocations.empty(),
            "around a function every allocation is there twice");
}

void draw_flames(findings::DeviceAnalyses& device) {
    const auto lines = device.stack_lines();
    const Timeline& timeline = device.timeline();
    for (const stacks::CallOrder order : {stacks::CallOrder::callers_first, stacks::CallOrder::callees_first}) {
        const auto graph =
            stacks::make_flame_graph(timeline, *lines, {timeline.peak_tick(), {stacks::TreeFrames::own, order}});
        require(graph.total == static_cast<double>(timeline.total_after_tick(timeline.peak_tick())),
                "a flame graph is as wide as what is live");
        if (graph.nodes.back().is_call()) draw_around(timeline, *lines, graph.nodes.back());
    }
}

void ask_what_if(const Snapshot& snapshot, ByteFeed& feed) {
    constexpr std::array<const char*, 5> k_values = {"true", "0", "1", "64", "0.5"};
    replay::ReplayQuestion question;
    const std::array<const char*, 5> names = {"expandable_segments", "max_split_size_mb", "roundup_power2_divisions",
                                              "garbage_collection_threshold", "capacity_bytes"};
    for (const char* name : names) {
        if (const std::uint8_t choice = feed.byte(); choice % 3 == 0)
            question.settings.emplace_back(name, k_values[choice / 3 % k_values.size()]);
    }
    question.find_smallest = feed.byte() % 8 == 0;
    Progress progress;
    (void)caught(&progress, [&] { return replay::replay_report(snapshot, snapshot.devices[0], question); });
}

}  // namespace
}  // namespace snapviewer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer;
    using namespace snapviewer::fuzz;
    ByteFeed events(data, size / 2);
    ByteFeed rest(data + size / 2, size - size / 2);
    const std::shared_ptr<Snapshot> snapshot = made_up_snapshot(events);
    ByteFeed choices = rest;
    add_stacks(*snapshot, rest);
    limit_values(*snapshot);
    complete_snapshot(*snapshot);
    const findings::Analyses analyses(*snapshot, {std::make_shared<const Timeline>(Timeline::build(snapshot, 0))});
    findings::DeviceAnalyses& device = analyses.device(0);
    (void)report::device_report_json(device);
    (void)report::device_report_text(device);
    look_at_moments(device, choices);
    draw_flames(device);
    ask_what_if(*snapshot, choices);
    return 0;
}
