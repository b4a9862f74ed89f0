#include "core/timeline/recording_facts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <vector>

#include "core/base/context.h"
#include "core/base/text.h"
#include "core/trace/segments.h"
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

bool is_true(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>();
    return value.is_number() && value != 0;
}

void report_overflow(Snapshot& snapshot, const DeviceTrace& trace) {
    if (!is_ring_buffer_full(snapshot, trace)) return;
    const std::optional<std::uint64_t> ring_capacity = recorded_ring_capacity(snapshot);
    snapshot.log.add("ring_buffer_wrapped", {},
                     {ring_capacity ? fmt::format(" ({})", counted(*ring_capacity, "event")) : ""});
}

void report_missing_stacks(Snapshot& snapshot, const DeviceTrace& trace) {
    const EventColumns& events = trace.events;
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events.action[i] == Action::alloc && !events.stack[i].is_some()) ++missing;
    }
    if (missing == 0) return;
    snapshot.log.add("alloc_without_stack", {.count = missing});
}

/// The largest sum, over all oom events, of the reserved memory and the driver's free memory: all memory that is available
/// to this process. nullopt if that is unknown.
std::optional<std::uint64_t> capacity_bytes(const Snapshot& snapshot, const DeviceTrace& trace) {
    if (std::ranges::find(trace.events.action, Action::oom) == trace.events.action.end()) return std::nullopt;
    const std::optional<ReservedHistory> reserved = reserved_history(snapshot, trace);
    std::optional<std::uint64_t> capacity;
    for (std::uint32_t event = 0; reserved && event < trace.events.size(); ++event) {
        if (!trace.events.is_oom(event)) continue;
        const auto free_bytes = trace.events.free_bytes(event);
        if (!free_bytes) return std::nullopt;
        capacity = std::max(capacity.value_or(0), reserved->after_events(event) + *free_bytes);
    }
    return capacity;
}

void report_impossible_total(Snapshot& snapshot, const DeviceTrace& trace) {
    const std::optional<std::uint64_t> capacity = capacity_bytes(snapshot, trace);
    if (!capacity) return;
    const std::uint64_t peak = peak_bytes(trace);
    if (peak <= *capacity) return;
    snapshot.log.add("total_above_capacity", {}, {format_bytes(peak), trace.device, format_bytes(*capacity)});
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

std::optional<std::uint64_t> recorded_ring_capacity(const Snapshot& snapshot) {
    std::uint64_t ring_capacity = 0;
    const bool is_known =
        read_number(setting_text(snapshot, "trace_alloc_max_entries"), ring_capacity) > 0 && ring_capacity > 0;
    return is_known ? std::optional(ring_capacity) : std::nullopt;
}

bool states_overflow(const Snapshot& snapshot) {
    const nlohmann::json value = parse_json(setting_text(snapshot, "trace_alloc_overflowed"));
    // A file has one flag for all devices, or a list or dict with a flag for each.
    return value.is_structured() ? std::any_of(value.begin(), value.end(), is_true) : is_true(value);
}

bool is_ring_buffer_full(const Snapshot& snapshot, const DeviceTrace& trace) {
    const std::optional<std::uint64_t> ring_capacity = recorded_ring_capacity(snapshot);
    return trace.events.size() > 0 &&
           ((ring_capacity && trace.events.size() >= *ring_capacity) || states_overflow(snapshot));
}

void report_recording(Snapshot& snapshot, DeviceTrace& trace) {
    report_overflow(snapshot, trace);
    report_missing_stacks(snapshot, trace);
    find_reserved_known(snapshot, trace);
    report_impossible_total(snapshot, trace);
}

bool has_ring_overflowed(const Snapshot& snapshot) {
    return std::ranges::any_of(snapshot.log.entries(), [](const ImportEntry& entry) {
        return entry.code == ImportCode("ring_buffer_wrapped").kind->name;
    });
}

namespace {

/// Replays all events and checks that blocks lie in segments.
class ReservedCheck {
public:
    ReservedCheck(const Snapshot& snapshot, const DeviceTrace& trace)
        : snapshot_(snapshot), trace_(trace), ranges_(snapshot, trace) {}

    /// The reason that reserved memory is known only at the end; nullopt if it is known throughout.
    std::optional<std::string> objection() {
        const EventColumns& events = trace_.events;
        for (std::size_t event = events.size(); event-- > 0;) {
            if (is_segment_event(events.action[event])) ranges_.undo(event);
        }
        if (ranges_.contradicts()) return "the segment events contradict the segments";
        if (!open_initial_ranges()) return "blocks from before the recording lie in no segment";
        for (std::size_t event = 0; event < events.size(); ++event) {
            if (auto why = check_event(event)) return why;
        }
        return std::nullopt;
    }

private:
    using Range = SegmentMap<ReservedRanges::Use>::Range;

    /// The range that contains an address, or null. Caches the last range per MiB of addresses, so that a lookup near the
    /// previous one takes some nanoseconds.
    Range* range_around(std::uint64_t address) {
        constexpr std::size_t k_page_bits = 20;
        Seen& seen = seen_[(address >> k_page_bits) % seen_.size()];
        if (seen.range != nullptr && seen.begin <= address && address < seen.range->end) return seen.range;
        const auto found = ranges_.map().find(address);
        if (found == ranges_.map().ranges().end()) return nullptr;
        seen = {found->first, &found->second};
        return seen.range;
    }

    bool open_initial_ranges() {
        for (std::uint32_t i = 0; i < trace_.initial_count; ++i) {
            Range* range = range_around(trace_.allocations.address[i]);
            if (range == nullptr) return false;
            ++range->value.open_blocks;
        }
        return true;
    }

    std::optional<std::string> check_event(std::size_t event) {
        const Action action = trace_.events.action[event];
        const std::uint64_t address = trace_.events.address[event];
        if (action == Action::alloc) {
            Range* range = range_around(address);
            if (range == nullptr) return fmt::format("the block of event {} lies in no segment", id_of(event));
            ++range->value.open_blocks;
        } else if (action == Action::free_completed) {
            Range* range = range_around(address);
            if (range != nullptr && range->value.open_blocks > 0) --range->value.open_blocks;
        } else if (is_segment_event(action)) {
            if (action == Action::segment_free && is_used(address, event))
                return fmt::format("the segment that event {} frees still holds blocks", id_of(event));
            ranges_.apply(event);
            seen_ = {};
            if (ranges_.contradicts()) return fmt::format("event {} contradicts the segments", id_of(event));
        }
        return std::nullopt;
    }

    /// True if a segment contains a live block. The count of open blocks is too high if a free was not recorded and the
    /// address was used again. Only then this function searches the addresses of live blocks, which it tracks up to the
    /// given event.
    bool is_used(std::uint64_t segment, std::size_t event) {
        const Range* range = ranges_.map().at(segment);
        if (range == nullptr || range->value.open_blocks == 0) return false;
        for (; next_open_event_ < event; ++next_open_event_) note_open(next_open_event_);
        const auto first = open_addresses_.lower_bound(segment);
        return first != open_addresses_.end() && *first < range->end;
    }

    void note_open(std::size_t event) {
        if (event == 0) {
            for (std::uint32_t i = 0; i < trace_.initial_count; ++i) open_addresses_.insert(trace_.allocations.address[i]);
        }
        const Action action = trace_.events.action[event];
        if (action == Action::alloc) open_addresses_.insert(trace_.events.address[event]);
        if (action == Action::free_completed) open_addresses_.erase(trace_.events.address[event]);
    }

    /// The id of an event in the SQL table `events`.
    std::int64_t id_of(std::size_t event) const {
        return first_event_id(snapshot_, trace_) + static_cast<std::int64_t>(event);
    }

    const Snapshot& snapshot_;
    const DeviceTrace& trace_;
    ReservedRanges ranges_;
    struct Seen {
        std::uint64_t begin = 0;
        Range* range = nullptr;
    };
    std::array<Seen, 1024> seen_{};
    std::set<std::uint64_t> open_addresses_;
    std::size_t next_open_event_ = 0;
};

bool has_segment_events(const DeviceTrace& trace) { return std::ranges::any_of(trace.events.action, is_segment_event); }

/// True if a segment has a stack, so that it was made while stacks were recorded and should have an event, unless the ring
/// buffer dropped that.
bool segment_events_were_skipped(const Snapshot& snapshot, const DeviceTrace& trace) {
    const AllocationColumns& allocations = trace.allocations;
    for (std::uint32_t i = 0; i < trace.initial_count; ++i) {
        const bool was_recorded = allocations.origin[i] == Origin::standing && allocations.stack[i].is_some();
        if (allocations.origin[i] == Origin::freed || was_recorded) return false;
    }
    return !states_overflow(snapshot) && std::ranges::any_of(snapshot.segments, [&](const Segment& segment) {
        return segment.device == trace.device && segment.stack.is_some();
    });
}

}  // namespace

void find_reserved_known(Snapshot& snapshot, DeviceTrace& trace) {
    trace.reserved_known = ReservedKnown::no;
    if (std::ranges::count(snapshot.segments, trace.device, &Segment::device) == 0) return;
    trace.reserved_known = ReservedKnown::throughout;
    std::optional<std::string> objection;
    if (trace.cut_off == CutOff::in_the_events) {
        objection = "the file is cut off before the end of its events";
    } else if (trace.events.size() > 0 && !has_segment_events(trace)) {
        snapshot.log.add("no_segment_events", {}, {trace.device});
        if (segment_events_were_skipped(snapshot, trace))
            objection = "segments were reserved during the recording, but no event records it";
    }
    if (!objection) objection = ReservedCheck(snapshot, trace).objection();
    if (!objection) return;
    trace.reserved_known = ReservedKnown::at_end;
    snapshot.log.add("reserved_at_end", {}, {trace.device, *objection});
}

}  // namespace snapviewer
