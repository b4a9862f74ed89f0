#include "core/timeline/recording_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <vector>

#include "core/base/context.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/recording_gaps.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_recorded_between_stop_checks = 4096;

/// The entry of the import log that says where the file breaks off, or null.
const ImportEntry* find_cut(const Snapshot& snapshot) {
    static constexpr std::array k_cuts = {ImportCode("cut_short"), ImportCode("file_cut_short"),
                                          ImportCode("elements_cut_short")};
    const auto& entries = snapshot.log.entries();
    const auto found = std::ranges::find_if(entries, [](const ImportEntry& entry) {
        return std::ranges::any_of(k_cuts, [&](ImportCode code) { return entry.code == code.kind->name; });
    });
    return found == entries.end() ? nullptr : &*found;
}

bool is_cut_off(const Snapshot& snapshot, const DeviceTrace& trace) {
    return trace.cut_off != CutOff::behind && find_cut(snapshot) != nullptr;
}

/// True if a file shows how its recording began: PyTorch's own files, and exports whose original format is unknown.
bool shows_beginning(FileKind kind) { return is_pytorch_recording(kind) || kind == FileKind::sqlite; }

/// True if an allocation has a stack but no event. It was allocated while the recording was on, but its event is not in the
/// file.
bool has_earlier_stack(const AllocationColumns& allocations, std::size_t i) {
    return allocations.origin[i] == Origin::standing && allocations.stack[i].is_some();
}

/// True if the recording kept a single event, as PyTorch does unless it records "all".
bool is_ring_of_one(const Snapshot& snapshot, const DeviceTrace& trace) {
    const auto ids = std::views::iota(std::size_t{0}, trace.allocations.size());
    return trace.events.size() == 1 &&
           (recorded_ring_capacity(snapshot) == 1 ||
            std::ranges::any_of(ids, [&](std::size_t i) { return has_earlier_stack(trace.allocations, i); }));
}

/// True if the first event came after all the memory that is in use at the peak, or if there are too few events to tell.
bool lacks_history(const Timeline& timeline) {
    const DeviceTrace& trace = timeline.trace();
    if (!shows_beginning(timeline.snapshot().kind) || trace.kind != ViewKind::allocations) return false;
    if (trace.events.size() == 0) return true;
    if (timeline.peak_bytes() == 0) return is_ring_of_one(timeline.snapshot(), trace);
    // Allocations from before the first event have the smallest ids.
    const bool has_earlier = trace.allocations.origin.front() != Origin::alloc;
    if (trace.events.size() == 1) return has_earlier || recorded_ring_capacity(timeline.snapshot()) == 1;
    const AllocationId highest = timeline.allocation_at_tick(timeline.peak_tick());
    return has_earlier && (!highest.is_some() || trace.allocations.origin[highest.value] != Origin::alloc);
}

/// The highest value of the recorded curves of allocated memory; nullopt without such a curve.
std::optional<std::uint64_t> highest_recorded_total(const DeviceTrace& trace) {
    std::optional<std::uint64_t> highest;
    for (const Series& series : trace.memory_series) {
        if (series.role != CurveRole::allocated) continue;
        for (const double value : series.values)
            highest = std::max(highest.value_or(0), static_cast<std::uint64_t>(std::llround(std::max(0.0, value))));
    }
    return highest;
}

RecordingState state_of(const Timeline& timeline) {
    const DeviceTrace& trace = timeline.trace();
    if (is_cut_off(timeline)) return RecordingState::cut_off;
    if (!shows_beginning(timeline.snapshot().kind)) return RecordingState::unknown;
    if (trace.events.size() == 0 || is_ring_of_one(timeline.snapshot(), trace)) return RecordingState::no_history;
    if (is_ring_buffer_full(timeline.snapshot(), trace)) return RecordingState::ring_buffer_full;
    const bool begins_later =
        std::ranges::any_of(trace.allocations.origin, [](Origin origin) { return origin != Origin::alloc; });
    return begins_later ? RecordingState::starts_mid_run : RecordingState::complete;
}

std::optional<double> seconds_of(const EventColumns& events) {
    std::int64_t first = k_no_time;
    std::int64_t last = k_no_time;
    for (const std::int64_t time : events.time_us) {
        if (time == k_no_time) continue;
        first = first == k_no_time ? time : std::min(first, time);
        last = std::max(last, time);
    }
    if (first == k_no_time || last <= first) return std::nullopt;
    return (static_cast<double>(last) - static_cast<double>(first)) / 1e6;
}

StackKinds stacks_of(const Snapshot& snapshot, const DeviceTrace& trace) {
    std::vector<bool> is_used(snapshot.stacks.stack_count());
    check_stop();
    for (const StackId stack : trace.allocations.stack) {
        if (stack.is_some()) is_used[stack.value] = true;
    }
    bool has_python = false;
    bool has_cpp = false;
    for (std::uint32_t i = 0; i < is_used.size() && !(has_python && has_cpp); ++i) {
        if (i % 256 == 0) check_stop();
        if (!is_used[i]) continue;
        for (const FrameId id : snapshot.stacks.stack(StackId{i})) {
            const Frame& frame = snapshot.stacks.frame(id);
            (is_python_file(snapshot.strings.view(frame.file)) ? has_python : has_cpp) = true;
        }
    }
    if (has_python) return has_cpp ? StackKinds::python_and_cpp : StackKinds::python;
    return has_cpp ? StackKinds::cpp : StackKinds::none;
}

/// The value of PYTORCH_CUDA_ALLOC_CONF or its successor. Settings that the program changed later take precedence.
std::optional<std::string> allocator_settings_of(const Snapshot& snapshot) {
    std::optional<std::string> told;
    for (const char* name : {"last_allocator_settings", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
        const nlohmann::json value = parse_json(setting_text(snapshot, name));
        if (!value.is_string()) continue;
        told = value.get<std::string>();
        if (!told->empty()) break;
    }
    return told;
}

/// Text such as "cut off at byte 335,985", or "cut off" if the offset is unknown.
std::string cut_place(const std::optional<std::uint64_t>& at) {
    return at ? "cut off at byte " + format_count(*at) : "cut off";
}

/// The call that would have recorded the missing data. With context="state", only blocks have stacks.
std::string advice(const RecordingFacts& facts, bool lacks_stacks) {
    constexpr const char* k_stacks = "context=\"all\", stacks=\"all\"";
    const auto record = [&](const std::string& arguments) {
        return fmt::format("torch.cuda.memory._record_memory_history({}{}{})", arguments,
                           lacks_stacks && !arguments.empty() ? ", " : "", lacks_stacks ? k_stacks : "");
    };
    switch (facts.state) {
        case RecordingState::no_history: return record("\"all\", max_entries=1_000_000") + " before the model is built";
        case RecordingState::starts_mid_run: return record("max_entries=1_000_000") + " before the model is built";
        case RecordingState::ring_buffer_full:
            return record(fmt::format("max_entries={}",
                                      std::max<std::uint64_t>(1'000'000, 10 * facts.ring_capacity.value_or(0)))) +
                   ", more than the run's events";
        case RecordingState::cut_off:
            return "wait until torch.cuda.memory._dump_snapshot() has returned, and copy the whole file";
        case RecordingState::complete: return lacks_stacks ? record("") : "";
        case RecordingState::unknown: return "";
    }
    return "";
}

}  // namespace

const char* recording_state_name(RecordingState state) {
    return std::array{
        "complete", "starts_mid_run", "ring_buffer_full", "cut_off", "no_history", "not_told"}[static_cast<std::size_t>(
        state)];
}

const char* recording_state_words(RecordingState state) {
    return std::array{"complete", "starts mid-run", "ring buffer full",
                      "cut off",  "no history",     "unknown for this kind of file"}[static_cast<std::size_t>(state)];
}

const char* stack_kinds_words(StackKinds kinds) {
    return std::array{"no stacks", "Python stacks", "C++ stacks", "Python and C++ stacks"}[static_cast<std::size_t>(kinds)];
}

bool is_cut_off(const Timeline& timeline) { return is_cut_off(timeline.snapshot(), timeline.trace()); }

std::string device_name(const DeviceTrace& trace) {
    std::string text = trace.device < 0 && trace.part.empty() ? "device ?" : fmt::format("device {}", trace.device);
    if (!trace.rank.empty()) text += fmt::format(" (rank {})", trace.rank);
    return trace.part.empty() ? text : text + ", " + trace.part;
}

KnownPeak known_peak(const Timeline& timeline) {
    const DeviceTrace& trace = timeline.trace();
    KnownPeak peak{.bytes = timeline.peak_bytes(), .is_lower_bound = is_cut_off(timeline)};
    if (trace.allocations.size() == 0 && !shows_beginning(timeline.snapshot().kind)) {
        const auto highest = highest_recorded_total(trace);
        peak.bytes = highest.value_or(0);
        peak.is_lower_bound |= !highest;
    } else if (!peak.is_lower_bound && lacks_history(timeline)) {
        peak.is_lower_bound = true;
        peak.is_at_end = peak.bytes == timeline.live_bytes_at_end();
    }
    return peak;
}

bool is_peak_behind_cut(const Timeline& timeline) {
    const std::vector<Origin>& origins = timeline.trace().allocations.origin;
    if (origins.empty()) return false;
    const AllocationId highest = timeline.allocation_at_tick(timeline.peak_tick());
    return origins[highest.is_some() ? highest.value : 0] == Origin::unplaced;
}

std::string peak_text(const Timeline& timeline) {
    const KnownPeak peak = known_peak(timeline);
    return (peak.is_lower_bound ? "at least " : "") + format_bytes(peak.bytes);
}

std::string labelled_peak_text(const Timeline& timeline) {
    const KnownPeak peak = known_peak(timeline);
    return peak.is_at_end ? "at the end " + format_bytes(peak.bytes) : "peak " + peak_text(timeline);
}

const char* peak_moment_word(const Timeline& timeline) {
    return known_peak(timeline).is_at_end || is_peak_behind_cut(timeline) ? "end" : "peak";
}

std::string cut_off_sentence(const Snapshot& snapshot) {
    const ImportEntry* cut = find_cut(snapshot);
    if (cut == nullptr) return "";
    const bool lacks_events = std::ranges::count(snapshot.devices, CutOff::in_the_events, &DeviceTrace::cut_off) > 0;
    const bool lacks_any =
        std::ranges::any_of(snapshot.devices, [&](const DeviceTrace& trace) { return is_cut_off(snapshot, trace); });
    return fmt::format("{}: {} missing{}", cut_place(cut->first_offset),
                       lacks_events ? "the events after that are" : "what came after that is",
                       lacks_any ? ", so peaks are at least what is shown" : "");
}

bool is_from_before(const AllocationColumns& allocations, AllocationId id) {
    const Origin origin = allocations.origin[id.value];
    return origin != Origin::alloc && origin != Origin::unplaced;
}

FromBefore from_before_at_peak(const Timeline& timeline) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    FromBefore found;
    for (const AllocationId id : timeline.live_after_tick(timeline.peak_tick())) {
        if (!is_from_before(allocations, id)) continue;
        found.bytes += allocations.size_bytes[id.value];
        if (!has_earlier_stack(allocations, id.value)) found.bytes_without_stack += allocations.size_bytes[id.value];
    }
    return found;
}

RecordingFacts recording_facts(const Timeline& timeline) {
    const Snapshot& snapshot = timeline.snapshot();
    const EventColumns& events = timeline.trace().events;
    RecordingFacts facts;
    facts.events = events.size();
    facts.seconds = seconds_of(events);
    facts.ring_capacity = recorded_ring_capacity(snapshot);
    const KnownPeak peak = known_peak(timeline);
    facts.peak_bytes = peak.bytes;
    facts.peak_is_lower_bound = peak.is_lower_bound;
    facts.stacks = stacks_of(snapshot, timeline.trace());
    std::uint64_t allocs = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i % k_recorded_between_stop_checks == 0) check_stop();
        if (events.action[i] != Action::alloc) continue;
        ++allocs;
        if (!events.stack[i].is_some()) ++facts.allocs_without_stack;
    }
    facts.state = state_of(timeline);
    // Polygons do not show how the recording began, and a cut-off file may lack the alloc of an allocation, its free, or
    // both.
    if (facts.state != RecordingState::unknown && facts.state != RecordingState::cut_off) {
        const FromBefore before = from_before_at_peak(timeline);
        facts.peak_bytes_from_before = before.bytes;
        facts.was_recording_before = before.bytes > before.bytes_without_stack;
    }
    if (facts.state == RecordingState::cut_off) facts.cut_at = find_cut(snapshot)->first_offset;
    const AllocationColumns& allocations = timeline.trace().allocations;
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (allocations.origin[i] == Origin::unplaced) facts.unplaced_bytes += allocations.size_bytes[i];
    }
    facts.allocator_settings = allocator_settings_of(snapshot);
    const bool events_lack_stacks = allocs > 0 && facts.allocs_without_stack == allocs;
    facts.next_time = advice(facts, events_lack_stacks || facts.stacks == StackKinds::none);
    return facts;
}

std::string recording_sentence(const RecordingFacts& facts) {
    std::string text = counted(facts.events, "event");
    if (facts.seconds) text += " over " + format_duration_us(std::llround(*facts.seconds * 1e6));
    if (facts.state == RecordingState::cut_off) {
        text += fmt::format("; {}, so peaks are at least what is shown", cut_place(facts.cut_at));
        if (facts.unplaced_bytes > 0)
            text +=
                fmt::format("; {} in use at the end were allocated at an unknown time", format_bytes(facts.unplaced_bytes));
    }
    if (facts.state == RecordingState::ring_buffer_full)
        text += facts.ring_capacity
                    ? fmt::format("; older ones were dropped (max_entries={})", format_count(*facts.ring_capacity))
                    : "; older ones were dropped";
    if (facts.state == RecordingState::no_history) {
        text += "; what was in use before the end is unknown";
    } else if (facts.state != RecordingState::complete && facts.peak_bytes > 0 && facts.peak_bytes_from_before) {
        text += fmt::format("; {} ({}) of the {} predates {}", format_bytes(*facts.peak_bytes_from_before),
                            format_share(*facts.peak_bytes_from_before, facts.peak_bytes),
                            facts.peak_is_lower_bound ? "memory in use" : "peak",
                            facts.was_recording_before ? "the first event kept" : "it");
    }
    text += fmt::format("; {}", stack_kinds_words(facts.stacks));
    if (facts.stacks != StackKinds::none && facts.allocs_without_stack > 0)
        text += ", missing on " + counted(facts.allocs_without_stack, "alloc");
    if (!facts.allocator_settings) return text;
    if (facts.allocator_settings->empty()) return text + "; default allocator settings";
    // an unknown file may contain a text of any length
    constexpr std::size_t k_max_settings_bytes = 200;
    return text + "; allocator settings " + shortened(one_line(*facts.allocator_settings), k_max_settings_bytes);
}

std::set<std::uint32_t> recovered_ooms(const EventColumns& events) {
    constexpr std::uint64_t k_telling_bytes = std::uint64_t{1} << 20;
    std::set<std::uint32_t> recovered;
    std::uint64_t largest_later = 0;
    for (auto event = static_cast<std::uint32_t>(events.size()); event-- > 0;) {
        const std::uint64_t size_bytes = events.size_bytes[event];
        if (events.action[event] == Action::alloc) largest_later = std::max(largest_later, size_bytes);
        if (events.is_oom(event) && largest_later > 0 && largest_later >= std::min(size_bytes, k_telling_bytes))
            recovered.insert(event);
    }
    return recovered;
}

}  // namespace snapviewer
