#include "app/features/timeline/allocation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/budget.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/totals.h"
#include "core/trace/annotations.h"
#include "core/trace/segments.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

/// The noun for one item of the timeline.
const char* noun(const DeviceTrace& trace) {
    switch (trace.kind) {
        case ViewKind::allocations: return "allocation";
        case ViewKind::segments: return "segment";
        case ViewKind::pools: return "piece";
    }
    return "";
}

const char* segment_origin_in_words(Origin origin) {
    switch (origin) {
        case Origin::alloc: return "recorded in the trace";
        case Origin::freed: return "reserved before the recording started; only its release was recorded";
        case Origin::standing: return "reserved before the recording started; still there when the snapshot was taken";
        case Origin::derived: return "";
        case Origin::unplaced:
            return "reserved when the snapshot was taken; since when is unknown, because the file is cut off";
    }
    return "";
}

const char* allocation_origin_in_words(Origin origin) {
    switch (origin) {
        case Origin::alloc: return "recorded in the trace";
        case Origin::freed: return "allocated before the recording started; only its free was recorded";
        case Origin::standing: return "mentioned by no event; live in the segments when the snapshot was taken";
        case Origin::derived: return "not recorded; derived from the totals";
        case Origin::unplaced: return "live when the snapshot was taken; since when is unknown, because the file is cut off";
    }
    return "";
}

/// Describes the origin of an item in words; empty for unused capacity, which has none.
std::string origin_in_words(const DeviceTrace& trace, Origin origin) {
    if (trace.kind == ViewKind::segments) return segment_origin_in_words(origin);
    return trace.kind == ViewKind::pools && origin == Origin::derived ? "" : allocation_origin_in_words(origin);
}

const char* state_in_words(const DeviceTrace& trace, AllocationState state) {
    if (trace.kind == ViewKind::segments) return state == AllocationState::freed ? "returned" : "reserved at the end";
    switch (state) {
        case AllocationState::live: return "live at the end";
        case AllocationState::awaiting_free: return "free requested, awaiting other streams";
        case AllocationState::freed: return "freed";
    }
    return "";
}

/// Stream with its number as in PyTorch's own viewer, and the raw handle from the file.
std::string stream_text(const Snapshot& snapshot, std::uint16_t stream) {
    const std::uint64_t raw = snapshot.streams[stream];
    return raw == 0 ? "0 (default)" : fmt::format("{} (raw {:#x})", stream_number(snapshot, stream), raw);
}

/// Formats JSON with indentation; returns other text unchanged. Cuts the middle out of a long text.
std::string readable(std::string_view text) {
    if (text.size() > limits::k_max_fact_bytes) return shortened(text, limits::k_max_fact_bytes);
    if (text.empty() || (text.front() != '{' && text.front() != '[')) return std::string(text);
    const auto parsed = parse_ordered_json(text);
    return parsed.is_discarded() ? std::string(text) : json_text(parsed, 2);
}

std::string pool_text(const Snapshot& snapshot, std::uint16_t pool) {
    const auto [first, second] = snapshot.pools[pool];
    return fmt::format("({}, {}){}", first, second, first == 0 && second == 0 ? " default" : " private");
}

std::string life_text(const Timeline& timeline, AllocationId id) {
    const std::uint64_t steps = timeline.end_step(id) - timeline.start_step(id);
    std::string text = counted(steps, "step");
    if (timeline.has_times()) {
        const auto times = timeline.tick_times_us();
        text += ", " + format_duration_us(times[timeline.last_tick(id)] - times[timeline.first_tick(id)]);
    }
    if (timeline.last_tick(id) + 1 == timeline.tick_count()) text += ", to the end";
    return text;
}

/// Collects facts and skips those without a value.
struct FactList {
    std::vector<Fact> facts;
    void add(std::string name, const std::string& value) {
        if (!value.empty()) facts.push_back({std::move(name), shortened(value, limits::k_max_fact_bytes)});
    }
};

/// Adds number and time of an event, which is called "alloc", for example.
void add_event(FactList& facts, const Timeline& timeline, const std::string& name, EventId event) {
    if (!event.is_some()) return;
    const DeviceTrace& trace = timeline.trace();
    const std::int64_t id = first_event_id(timeline.snapshot(), trace) + event.value;
    facts.add(name + " event", format_count(static_cast<std::uint64_t>(id)));
    const std::int64_t time_us = trace.events.time_us[event.value];
    if (time_us == k_no_time) return;
    facts.add(name + " time",
              trace.presentation.has_wall_clock ? format_wall_clock_us(time_us) : format_duration_us(time_us));
}

const EventMetadata* metadata_row(const Timeline& timeline, AllocationId id) {
    const MetadataId metadata = metadata_of(timeline.trace(), id);
    return metadata.is_some() ? &timeline.snapshot().metadata[metadata.value] : nullptr;
}

void add_metadata(FactList& facts, const Snapshot& snapshot, const EventMetadata* metadata) {
    if (metadata == nullptr) return;
    const auto text = [&](StringId id) { return shortened(snapshot.strings.view(id), limits::k_max_fact_bytes); };
    facts.add("category", text(metadata->category));
    facts.add("user metadata", readable(snapshot.strings.view(metadata->user_metadata)));
    if (const std::string context = text(metadata->compile_context); context != "N/A") facts.add("compile context", context);
    facts.add("internal metadata", readable(snapshot.strings.view(metadata->internal_metadata)));
}

/// Adds the block and segment of an allocation that is still live at the end. A freed one is skipped, because its address
/// may have been reused.
void add_segment(FactList& facts, const Snapshot& snapshot, const DeviceTrace& trace, std::uint64_t address) {
    for (const Segment& segment : snapshot.segments) {
        if (segment.device != trace.device || address < segment.address || address - segment.address >= segment.total_bytes)
            continue;
        facts.add("segment", fmt::format("{:#x}", segment.address));
        facts.add("segment size",
                  fmt::format("{}, {}{}", format_bytes(segment.total_bytes), snapshot.strings.view(segment.type),
                              segment.is_expandable ? ", expandable" : ""));
        if (trace.kind == ViewKind::segments) return;
        const auto blocks = snapshot.blocks_of(segment);
        const auto block = std::ranges::find(blocks, address, &Block::address);
        if (block != blocks.end()) facts.add("block", format_bytes_exactly(block->size_bytes) + ", rounded");
        return;
    }
}

/// Splits a text into lines: at most as many as a stack may have, each no longer than a frame.
std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    std::size_t bytes = 0, left_out = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (lines.size() == limits::k_max_path_frames || bytes > limits::k_max_stack_bytes) {
            left_out += end > 0 ? 1 : 0;
        } else if (end > 0) {
            lines.push_back(shortened(text.substr(0, end), limits::k_max_frame_bytes));
            bytes += lines.back().size();
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (left_out > 0) lines.push_back(more_frames(left_out));
    return lines;
}

/// Returns "torch.fx: call_function add_3, target aten.add.Tensor", followed by the source lines of that node. Reads at
/// most the maximum size of a stack.
std::vector<std::string> fx_lines(std::string_view text) {
    if (text.size() > limits::k_max_stack_bytes) return {"torch.fx: " + shortened(text, limits::k_max_frame_bytes)};
    const auto node = parse_json(text);
    if (!node.is_object()) return {};
    const auto field = [&](const char* name) {
        const auto at = node.find(name);
        if (at == node.end()) return std::string();
        return at->is_string() ? at->get<std::string>() : at->dump();
    };
    std::string head = "torch.fx:";
    for (const char* name : {"fx_node_op", "fx_node_name"}) {
        if (const std::string value = field(name); !value.empty()) head += " " + value;
    }
    if (const std::string target = field("fx_node_target"); !target.empty()) head += ", target " + target;
    std::vector<std::string> lines{shortened(head, limits::k_max_frame_bytes)};
    for (std::string& line : lines_of(field("fx_original_trace"))) lines.push_back(std::move(line));
    return lines;
}

/// Placeholder for the frames of a long stack that are not shown. Never folded, unlike a framework's line.
StackLine left_out_line(std::size_t count) {
    StackLine line;
    line.function = line.full_text = more_frames(count);
    return line;
}

std::string_view base_name(std::string_view file) { return file.substr(file.find_last_of("/\\") + 1); }

}  // namespace

std::string counted(const Timeline& timeline, std::size_t count) { return counted(count, noun(timeline.trace())); }

bool is_unused_capacity(const DeviceTrace& trace, AllocationId id) {
    return trace.kind == ViewKind::pools && trace.allocations.origin[id.value] == Origin::derived;
}

std::string what_it_is(const Timeline& timeline, AllocationId id) {
    const DeviceTrace& trace = timeline.trace();
    if (trace.kind == ViewKind::segments) return "segment";
    if (!is_unused_capacity(trace, id)) return "";
    const auto [first, second] = timeline.snapshot().pools[trace.allocations.pool[id.value]];
    return fmt::format("unused capacity of pool ({}, {})", first, second);
}

StackRole stack_role(const DeviceTrace& trace, AllocationId id) {
    if (trace.allocations.origin[id.value] != Origin::freed) return {};
    if (trace.kind == ViewKind::segments) return {"released by ", " of the release"};
    return {"freed by ", " of the free"};
}

std::string device_badges(const Timeline& timeline, bool leaks) {
    const auto ooms = std::ranges::count(timeline.trace().events.action, Action::oom);
    std::string text = ooms > 0 ? ", out of memory" : "";
    if (ooms > 1) text += fmt::format(" {} times", format_count(static_cast<std::uint64_t>(ooms)));
    if (leaks) text += ", leak";
    if (is_cut_off(timeline)) text += ", cut off";
    return text;
}

AllocationSummary summarise(const Timeline& timeline, AllocationId id) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const Snapshot& snapshot = timeline.snapshot();
    AllocationSummary summary;
    summary.size = format_bytes_exactly(allocations.size_bytes[id.value]);
    summary.what = what_it_is(timeline, id);
    summary.life = life_text(timeline, id);
    if (allocations.origin[id.value] != Origin::alloc)
        summary.origin = origin_in_words(timeline.trace(), allocations.origin[id.value]);
    const FrameId line = own_line(snapshot, allocations.stack[id.value]);
    if (line.is_some()) {
        summary.freed_by = stack_role(timeline.trace(), id).before;
        summary.own_line = line_source(snapshot, line);
    }
    return summary;
}

std::string allocated_by(const Timeline& timeline, AllocationId id) {
    const bool is_from_before = !id.is_some() || making_stack(timeline.trace().allocations, id) == k_before_recording;
    if (is_from_before) return "(allocated before the recording)";
    std::string line = summarise(timeline, id).own_line;
    return line.empty() ? "(no stack)" : line;
}

std::vector<Fact> allocation_facts(const Timeline& timeline, AllocationId id) {
    const Snapshot& snapshot = timeline.snapshot();
    const DeviceTrace& trace = timeline.trace();
    const AllocationColumns& allocations = trace.allocations;
    const std::uint32_t i = id.value;
    const Origin origin = allocations.origin[i];
    const AllocationState state = allocations.state[i];

    const bool is_unused = is_unused_capacity(trace, id);
    FactList facts;
    facts.add("what", what_it_is(timeline, id));
    facts.add("size", format_bytes_exactly(allocations.size_bytes[i]));
    if (!is_unused) facts.add("address", fmt::format("{:#x}", allocations.address[i]));
    if (!is_unused) facts.add("state", state_in_words(trace, state));
    facts.add("origin", origin_in_words(trace, origin));
    facts.add("life", life_text(timeline, id));
    facts.add("steps", format_count(timeline.start_step(id)) + " to " + format_count(timeline.end_step(id)));
    if (origin == Origin::alloc)
        facts.add("total after", format_bytes_exactly(timeline.total_after_tick(timeline.first_tick(id))));
    const bool is_segment = trace.kind == ViewKind::segments;
    add_event(facts, timeline, is_segment ? "reserve" : "alloc", allocations.alloc_event[i]);
    add_event(facts, timeline, is_segment ? "release" : "free", allocations.free_event[i]);
    if (allocations.stream[i] < snapshot.streams.size()) facts.add("stream", stream_text(snapshot, allocations.stream[i]));
    if (allocations.pool[i] != k_no_pool) facts.add("pool", pool_text(snapshot, allocations.pool[i]));
    if (!is_unused && state != AllocationState::freed) add_segment(facts, snapshot, trace, allocations.address[i]);
    add_metadata(facts, snapshot, metadata_row(timeline, id));
    facts.add("annotation", readable(snapshot.strings.view(notes_text_of(trace, id))));
    facts.add(is_segment ? "number" : noun(trace), fmt::format("{} of {}", format_count(i), device_name(trace)));
    return std::move(facts.facts);
}

StackLine stack_line(const Snapshot& snapshot, FrameId id) { return stack_line(snapshot, snapshot.stacks.frame(id)); }

StackLine stack_line(const Snapshot& snapshot, const Frame& frame) {
    const std::string file = shortened(snapshot.strings.view(frame.file), limits::k_max_frame_bytes);
    StackLine line;
    line.function = shortened(snapshot.strings.view(frame.function), limits::k_max_frame_bytes);
    line.place = !frame.knows_line() ? std::string(base_name(file)) : fmt::format("{}:{}", base_name(file), frame.line);
    line.full_text = frame_text(snapshot.strings, frame);
    line.file = file;
    line.line = frame.knows_line() ? frame.line : 0;
    line.kind = is_own_frame(snapshot.strings, frame) ? FrameKind::user : FrameKind::framework;
    if (frame.fx.is_some()) line.fx = fx_lines(snapshot.strings.view(frame.fx));
    return line;
}

std::vector<StackLine> stack_lines(const Timeline& timeline, StackId stack) {
    const Snapshot& snapshot = timeline.snapshot();
    const FrameId top = own_line(snapshot, stack);
    std::vector<StackLine> lines;
    std::size_t bytes = 0;
    const std::span<const FrameId> frames = snapshot.stacks.stack(stack);
    for (const FrameId id : frames) {
        if (lines.size() == limits::k_max_path_frames || bytes > limits::k_max_stack_bytes) {
            lines.push_back(left_out_line(frames.size() - lines.size()));
            break;
        }
        StackLine& line = lines.emplace_back(stack_line(snapshot, id));
        if (line.kind == FrameKind::user && id == top) line.kind = FrameKind::top_user;
        bytes += line.full_text.size() + snapshot.strings.view(snapshot.stacks.frame(id).fx).size();
    }
    return lines;
}

std::vector<std::string> forward_stack_lines(const Timeline& timeline, AllocationId id) {
    const EventMetadata* metadata = metadata_row(timeline, id);
    if (metadata == nullptr) return {};
    return lines_of(timeline.snapshot().strings.view(metadata->forward_frames));
}

std::vector<DetailSection> within_budget(std::vector<DetailSection> sections) {
    std::size_t bytes = 0, rows = 0;
    for (DetailSection& section : sections) {
        section.title = shortened(section.title, limits::k_max_source_bytes);
        std::size_t kept = 0;
        for (auto& [name, value] : section.rows) {
            if (rows == limits::k_max_path_frames || bytes > limits::k_max_stack_bytes) break;
            name = shortened(name, limits::k_max_source_bytes);
            value = shortened(value, limits::k_max_fact_bytes);
            bytes += name.size() + value.size();
            ++rows, ++kept;
        }
        if (kept == section.rows.size()) continue;
        const std::size_t left_out = section.rows.size() - kept;
        section.rows.resize(kept);
        section.rows.emplace_back("", more_items(left_out, "line"));
    }
    return sections;
}

std::string stack_lines_text(const std::vector<StackLine>& stack) {
    std::string text;
    for (const StackLine& line : stack) {
        text += line.full_text + "\n";
        for (const std::string& fx : line.fx) text += "    " + fx + "\n";
    }
    return text;
}

std::string allocation_text(const std::vector<Fact>& facts, const std::vector<StackLine>& stack, const StackRole& role) {
    std::string text;
    for (const Fact& fact : facts) text += fact.name + ": " + fact.value + "\n";
    if (!stack.empty()) text += std::string("stack") + role.after + ", innermost first:\n" + stack_lines_text(stack);
    return text;
}

}  // namespace snapviewer
