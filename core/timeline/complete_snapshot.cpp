#include "core/timeline/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/timeline.h"
#include "core/trace/annotations.h"
#include "core/trace/segments.h"

namespace snapviewer {
namespace {

/// Maximum length of the joined texts of one allocation's notes. The rest is replaced by a count. The limit is needed
/// because many notes may share one text, which the file contains only once.
constexpr std::size_t k_joined_bytes = 4096;
constexpr std::size_t k_all_joined_bytes = std::size_t{32} << 20;

class NoteFinder {
public:
    explicit NoteFinder(DeviceTrace& trace) : trace_(trace) {}

    void run() {
        const EventColumns& events = trace_.events;
        for (std::uint32_t event = 0; event < events.size(); ++event) {
            const bool is_of_block = events.action[event] == Action::annotate && events.address[event] != 0;
            if (is_of_block) places_.try_emplace(events.address[event]);  // annotate events without an address mark moments
        }
        find_allocations();
        for (std::uint32_t event = 0; event < events.size(); ++event) {
            const auto place = places_.find(events.address[event]);
            if (place != places_.end()) take_event(place->second, event);
        }
        for (auto& [address, place] : places_) give(place.waiting, place.standing);
        std::ranges::sort(trace_.notes, {},
                          [](const AllocationNote& note) { return std::pair(note.allocation, note.event); });
    }

private:
    /// The state of an address that occurs in notes.
    struct Place {
        AllocationId open;                   ///< the live allocation that an alloc event began
        AllocationId standing;               ///< an allocation at this address that no event mentions
        std::vector<std::uint32_t> waiting;  ///< annotate events whose allocation is not known yet
    };

    void find_allocations() {
        const AllocationColumns& allocations = trace_.allocations;
        for (std::uint32_t i = 0; i < allocations.size(); ++i) {
            const auto place = places_.find(allocations.address[i]);
            if (place == places_.end()) continue;
            if (allocations.origin[i] == Origin::standing) place->second.standing = AllocationId{i};
            if (allocations.alloc_event[i].is_some()) begun_by_[allocations.alloc_event[i].value] = AllocationId{i};
            if (allocations.origin[i] == Origin::freed) ended_by_[allocations.free_event[i].value] = AllocationId{i};
        }
    }

    void take_event(Place& place, std::uint32_t event) {
        switch (trace_.events.action[event]) {
            case Action::alloc:
                if (const auto begun = begun_by_.find(event); begun != begun_by_.end()) place.open = begun->second;
                place.waiting.clear();
                break;
            case Action::free_completed:
                if (const auto ended = ended_by_.find(event); ended != ended_by_.end()) give(place.waiting, ended->second);
                place.open = AllocationId::none();
                break;
            case Action::annotate:
                if (place.open.is_some()) {
                    trace_.notes.push_back({place.open, EventId{event}});
                } else {
                    place.waiting.push_back(event);
                }
                break;
            default: break;
        }
    }

    void give(std::vector<std::uint32_t>& events, AllocationId allocation) {
        if (allocation.is_some()) {
            for (const std::uint32_t event : events) trace_.notes.push_back({allocation, EventId{event}});
        }
        events.clear();
    }

    DeviceTrace& trace_;
    std::unordered_map<std::uint64_t, Place, KeyedHash> places_;  ///< state of each address that has notes
    /// Allocations by their alloc event, and by their free event.
    std::unordered_map<std::uint64_t, AllocationId, KeyedHash> begun_by_, ended_by_;
};

/// Joins the texts of one allocation's notes, one per line. `remaining_bytes` is the remaining limit for all joined texts.
StringId joined_text(Snapshot& snapshot, const DeviceTrace& trace, std::span<const AllocationNote> notes,
                     std::size_t& remaining_bytes) {
    if (notes.size() == 1) {
        const MetadataId metadata = trace.events.metadata[notes.front().event.value];
        return metadata.is_some() ? snapshot.metadata[metadata.value].user_metadata : StringId::none();
    }
    std::string text;
    std::size_t taken = 0;
    const std::size_t most = std::min(k_joined_bytes, remaining_bytes);
    for (; taken < notes.size(); ++taken) {
        const std::string_view next = note_text(snapshot, trace, notes[taken]);
        if (text.size() + next.size() + 1 > most) break;
        if (taken > 0) text += '\n';
        text += next;
    }
    remaining_bytes -= std::min(remaining_bytes, text.size());
    if (taken < notes.size()) text += fmt::format("\n... {} more notes in the table events", notes.size() - taken);
    return snapshot.strings.intern(text);
}

/// Moves the allocator's own tag from the user metadata, where PyTorch before 2.15 writes it, to the internal metadata.
/// O(metadata).
void separate_internal_tag(Snapshot& snapshot) {
    for (EventMetadata& metadata : snapshot.metadata) {
        std::string_view text = snapshot.strings.view(metadata.user_metadata);
        if (!text.ends_with(k_allocator_internal_tag)) continue;
        text.remove_suffix(k_allocator_internal_tag.size());
        if (!text.empty() && text.back() != '\n') continue;
        if (!text.empty()) text.remove_suffix(1);
        const std::string users(text);  // a copy, because interning may move the strings
        metadata.user_metadata = users.empty() ? StringId::none() : snapshot.strings.intern(users);
        metadata.internal_metadata = snapshot.strings.intern(k_allocator_internal_tag);
    }
}

/// Assigns every `annotate` event to the allocation that is live at its address, which may be one from before the recording.
/// An event without such an allocation is assigned to none. Fills the trace's notes and note_texts. Precondition: the
/// trace's allocations are complete. O(events).
void attach_notes(Snapshot& snapshot, DeviceTrace& trace) {
    if (std::ranges::find(trace.events.action, Action::annotate) == trace.events.action.end()) return;
    NoteFinder(trace).run();
    std::size_t remaining_bytes = k_all_joined_bytes;
    for (std::size_t i = 0; i < trace.notes.size();) {
        const AllocationId allocation = trace.notes[i].allocation;
        const auto notes = notes_of(trace, allocation);
        trace.note_texts.push_back({allocation, joined_text(snapshot, trace, notes, remaining_bytes)});
        i += notes.size();
    }
}

using Addresses = std::unordered_set<std::uint64_t, KeyedHash>;

bool has(const DeviceTrace& trace, Action action) {
    return std::ranges::find(trace.events.action, action) != trace.events.action.end();
}

bool lacks_completed_frees(const Snapshot& snapshot) {
    bool has_requests = false;
    for (const DeviceTrace& trace : snapshot.devices) {
        if (trace.is_host) continue;
        if (has(trace, Action::free_completed) || !trace.free_requests.empty()) return false;
        has_requests = has_requests || has(trace, Action::free_requested);
    }
    return has_requests;
}

Addresses waiting_blocks(const Snapshot& snapshot, const DeviceTrace& trace) {
    Addresses waiting;
    for (const Segment& segment : snapshot.segments) {
        if (segment.device != trace.device) continue;
        for (const Block& block : snapshot.blocks_of(segment))
            if (block.state == BlockState::active_pending_free) waiting.insert(block.address);
    }
    return waiting;
}

/// Turns requests to free on one device into frees. Returns their number.
std::uint64_t convert_requests(const Snapshot& snapshot, DeviceTrace& trace) {
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
void convert_requests_to_frees(Snapshot& snapshot) {
    if (!lacks_completed_frees(snapshot)) return;
    std::uint64_t count = 0;
    for (DeviceTrace& trace : snapshot.devices) {
        if (!trace.is_host) count += convert_requests(snapshot, trace);
    }
    const std::string_view code = ImportCode("frees_not_recorded").kind->name;
    const bool is_reported = std::ranges::count(snapshot.log.entries(), code, &ImportEntry::code) > 0;
    if (count > 0 && !is_reported) snapshot.log.add("frees_not_recorded", {.count = count});
}

}  // namespace

void complete_snapshot(Snapshot& snapshot, const std::function<void(const DeviceTrace&)>& collected) {
    convert_requests_to_frees(snapshot);
    separate_internal_tag(snapshot);
    for (DeviceTrace& trace : snapshot.devices) {
        if (!trace.allocations_are_given)
            collect_allocations(snapshot, trace);
        else if (are_stacked(trace))
            trace.recorded_paths = {};
        attach_notes(snapshot, trace);
        check_stop();
        if (collected) collected(trace);
        if (trace.allocations_are_given) continue;
        find_pools(snapshot, trace);
        check_stop();
        report_recording(snapshot, trace);
        check_stop();
    }
}

}  // namespace snapviewer
