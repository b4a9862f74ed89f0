#include "core/timeline/complete_snapshot.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/context.h"
#include "core/base/keyed_hash.h"
#include "core/timeline/collect.h"
#include "core/timeline/notes.h"
#include "core/timeline/recording_gaps.h"
#include "core/timeline/stacked_paths.h"
#include "core/trace/pools.h"

namespace snapviewer {
namespace {

using Addresses = std::unordered_set<std::uint64_t, KeyedHash>;

bool has(const DeviceTrace& trace, Action action) {
    return std::ranges::find(trace.events.action, action) != trace.events.action.end();
}

bool lacks_completed_frees(const Snapshot& snapshot) {
    const auto is_on_device = [](const DeviceTrace& trace) { return !trace.is_host; };
    const auto any = [&](auto asked) {
        return std::ranges::any_of(snapshot.devices,
                                   [&](const DeviceTrace& trace) { return is_on_device(trace) && asked(trace); });
    };
    return !any([](const DeviceTrace& trace) {
        return has(trace, Action::free_completed) || !trace.free_requests.empty();
    }) && any([](const DeviceTrace& trace) { return has(trace, Action::free_requested); });
}

Addresses waiting_blocks(const Snapshot& snapshot, const DeviceTrace& trace) {
    Addresses waiting;
    for (const Segment& segment : snapshot.segments) {
        if (segment.device != trace.device) continue;
        for (std::uint32_t i = 0; i < segment.block_count; ++i) {
            const Block& block = snapshot.blocks[segment.first_block + i];
            if (block.state == BlockState::active_pending_free) waiting.insert(block.address);
        }
    }
    return waiting;
}

/// Turns requests to free on one device into frees. Returns their number.
std::uint64_t take_requests_of(const Snapshot& snapshot, DeviceTrace& trace) {
    Addresses waiting = waiting_blocks(snapshot, trace);
    std::uint64_t count = 0;
    for (std::size_t event = trace.events.size(); event-- > 0;) {
        Action& action = trace.events.action[event];
        if (action != Action::free_requested && action != Action::alloc) continue;
        const bool is_last_of_waiting = !waiting.empty() && waiting.erase(trace.events.address[event]) > 0;
        if (action != Action::free_requested || is_last_of_waiting) continue;
        action = Action::free_completed;
        ++count;
    }
    trace.requests_are_frees = count > 0;
    return count;
}

/// Turns requests to free into frees if no device has a completed free, because PyTorch left those out (`skip_actions`). The
/// last request of a block that the segments list as pending stays a request. Sets DeviceTrace::requests_are_frees and
/// reports it in the import log. Call before allocations are collected. O(events).
void take_requests_as_frees(Snapshot& snapshot) {
    if (!lacks_completed_frees(snapshot)) return;
    std::uint64_t count = 0;
    for (DeviceTrace& trace : snapshot.devices) {
        if (!trace.is_host) count += take_requests_of(snapshot, trace);
    }
    if (count == 0) return;
    const std::string_view code = import_kind(ImportCode::frees_not_recorded).name;
    if (std::ranges::find(snapshot.log.entries(), code, &ImportEntry::code) != snapshot.log.entries().end()) return;
    snapshot.log.add(ImportCode::frees_not_recorded,
                     "the recording left out completed frees (skip_actions), so memory counts as free from the request on; "
                     "how long blocks waited for other streams is unknown",
                     {}, count);
}

}  // namespace

void complete_snapshot(Snapshot& snapshot, const std::function<void(const DeviceTrace&)>& collected) {
    take_requests_as_frees(snapshot);
    separate_allocators_own(snapshot);
    for (DeviceTrace& trace : snapshot.devices) {
        if (trace.allocations_are_given) {
            if (are_stacked(trace)) trace.recorded_paths = {};
            attach_notes(snapshot, trace);
            check_stop();
            if (collected) collected(trace);
            continue;
        }
        collect_allocations(snapshot, trace);
        attach_notes(snapshot, trace);
        check_stop();
        if (collected) collected(trace);
        find_pools(snapshot, trace);
        check_stop();
        report_recording(snapshot, trace);
        check_stop();
    }
}

}  // namespace snapviewer
