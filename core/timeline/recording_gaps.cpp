#include "core/timeline/recording_gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/base/units.h"
#include "core/timeline/reserved_known.h"
#include "core/trace/live_walk.h"
#include "core/trace/reserved.h"

namespace snapviewer {
namespace {

bool is_true(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>();
    return value.is_number() && value != 0;
}

void report_overflow(Snapshot& snapshot, const DeviceTrace& trace) {
    const std::optional<std::uint64_t> room = recording_room(snapshot);
    const bool is_full = room && trace.events.size() >= *room;
    if (!is_full && !says_overflowed(snapshot)) return;
    if (trace.events.size() == 0) return;
    snapshot.log.add(ImportCode::ring_buffer_wrapped,
                     fmt::format("the recording ran out of room{}, so its oldest events are lost; what was allocated before "
                                 "is drawn from the beginning, if it is known at all",
                                 room ? fmt::format(" ({})", counted(*room, "event")) : ""));
}

void report_missing_stacks(Snapshot& snapshot, const DeviceTrace& trace) {
    const EventColumns& events = trace.events;
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events.action[i] == Action::alloc && !events.stack[i].is_some()) ++missing;
    }
    if (missing == 0) return;
    snapshot.log.add(ImportCode::alloc_without_stack,
                     "allocations without a stack, either because the recording was started with context=None or \"state\", "
                     "because it was started with stacks=\"python\" and they come from a thread without Python (such as the "
                     "backward pass), or because the program has no Python at all",
                     {}, missing);
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
    snapshot.log.add(ImportCode::total_above_capacity,
                     fmt::format("the total reaches {} on device {}, which has at most {} for this process; frees are "
                                 "missing from the recording, and what they freed stays in the picture",
                                 format_bytes(peak), trace.device, format_bytes(*capacity)));
}

}  // namespace

std::optional<std::uint64_t> recording_room(const Snapshot& snapshot) {
    std::uint64_t room = 0;
    const bool is_told = read_number(setting_text(snapshot, "trace_alloc_max_entries"), room) > 0 && room > 0;
    return is_told ? std::optional(room) : std::nullopt;
}

bool says_overflowed(const Snapshot& snapshot) {
    const nlohmann::json value = parse_json(setting_text(snapshot, "trace_alloc_overflowed"));
    // The value is one flag for all devices, or a list or dict with a flag for each.
    return value.is_structured() ? std::any_of(value.begin(), value.end(), is_true) : is_true(value);
}

void report_recording(Snapshot& snapshot, DeviceTrace& trace) {
    report_overflow(snapshot, trace);
    report_missing_stacks(snapshot, trace);
    find_reserved_known(snapshot, trace);
    report_impossible_total(snapshot, trace);
}

bool ran_out_of_room(const Snapshot& snapshot) {
    return std::ranges::any_of(snapshot.log.entries(), [](const ImportEntry& entry) {
        return entry.code == import_kind(ImportCode::ring_buffer_wrapped).name;
    });
}

}  // namespace snapviewer
