#include "core/timeline/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/keyed_hash.h"
#include "core/trace/allocation_metadata.h"

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
            if (is_of_block) places_.try_emplace(events.address[event]);  // the others mark moments
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
    std::unordered_map<std::uint64_t, AllocationId, KeyedHash> begun_by_, ended_by_;  ///< allocations by their alloc event
                                                                                      ///< and by their free event
};

/// Joins the texts of one allocation's notes, one per line. `room` is the remaining limit for all joined texts.
StringId joined_text(Snapshot& snapshot, const DeviceTrace& trace, std::span<const AllocationNote> notes,
                     std::size_t& room) {
    if (notes.size() == 1) {
        const MetadataId metadata = trace.events.metadata[notes.front().event.value];
        return metadata.is_some() ? snapshot.metadata[metadata.value].user_metadata : StringId::none();
    }
    std::string text;
    std::size_t taken = 0;
    const std::size_t most = std::min(k_joined_bytes, room);
    for (; taken < notes.size(); ++taken) {
        const std::string_view next = note_text(snapshot, trace, notes[taken]);
        if (text.size() + next.size() + 1 > most) break;
        if (taken > 0) text += '\n';
        text += next;
    }
    room -= std::min(room, text.size());
    if (taken < notes.size()) text += fmt::format("\n... {} more notes in the table events", notes.size() - taken);
    return snapshot.strings.intern(text);
}

}  // namespace

void separate_allocators_own(Snapshot& snapshot) {
    for (EventMetadata& metadata : snapshot.metadata) {
        std::string_view text = snapshot.strings.view(metadata.user_metadata);
        if (!text.ends_with(k_allocators_own_tag)) continue;
        text.remove_suffix(k_allocators_own_tag.size());
        if (!text.empty() && text.back() != '\n') continue;
        if (!text.empty()) text.remove_suffix(1);
        const std::string users(text);  // a copy, because interning may move the strings
        metadata.user_metadata = users.empty() ? StringId::none() : snapshot.strings.intern(users);
        metadata.internal_metadata = snapshot.strings.intern(k_allocators_own_tag);
    }
}

void attach_notes(Snapshot& snapshot, DeviceTrace& trace) {
    if (std::ranges::find(trace.events.action, Action::annotate) == trace.events.action.end()) return;
    NoteFinder(trace).run();
    std::size_t room = k_all_joined_bytes;
    for (std::size_t i = 0; i < trace.notes.size();) {
        const AllocationId allocation = trace.notes[i].allocation;
        const auto notes = notes_of(trace, allocation);
        trace.note_texts.push_back({allocation, joined_text(snapshot, trace, notes, room)});
        i += notes.size();
    }
}

}  // namespace snapviewer
