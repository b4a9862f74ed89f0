#include "core/timeline/markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/budget.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

EventId alloc_event_of_peak(const Timeline& picture) {
    const std::uint32_t tick = picture.peak_tick();
    const AllocationId id = picture.allocation_at_tick(tick);
    if (picture.tick_events()[tick] == 0 || !id.is_some()) return EventId::none();
    return picture.trace().allocations.alloc_event[id.value];
}

/// Adds the markers of the oom events, and the capacity that follows from them.
void add_ooms(const EventColumns& events, const AxisPlaces& places, const ReservedHistory* reserved, Landmarks& found) {
    const std::set<std::uint32_t> recovered = recovered_ooms(events);
    std::uint64_t capacity_bytes = 0;
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (!events.is_oom(event)) continue;
        OomState oom{events.free_bytes(event), recovered.contains(event), {}};
        if (reserved != nullptr) oom.reserved_bytes = reserved->after_events(event);
        if (oom.reserved_bytes && oom.device_free_bytes)
            capacity_bytes = std::max(capacity_bytes, *oom.reserved_bytes + *oom.device_free_bytes);
        found.markers.push_back({Marker::Kind::oom, places.of_event(event), EventId{event}, events.size_bytes[event], oom});
    }
    if (capacity_bytes == 0) return;
    found.levels.push_back({"capacity", "capacity",
                            "The most memory that was reserved or free on the driver when memory ran out. It does not "
                            "include what other programs held at that time.",
                            static_cast<double>(capacity_bytes)});
}

/// The text that the program attached to an annotate event.
std::string annotation_of(const Timeline& timeline, EventId event) {
    const Snapshot& snapshot = timeline.snapshot();
    const MetadataId metadata = timeline.trace().events.metadata[event.value];
    const StringId note = metadata.is_some() ? snapshot.metadata[metadata.value].user_metadata : StringId::none();
    return shortened(snapshot.strings.view(note), limits::k_max_source_bytes);
}

void add_peak_facts(const Timeline& picture, MarkerFacts& facts) {
    const std::uint32_t tick = picture.peak_tick();
    facts.emplace_back("total",
                       (known_peak(picture).is_lower_bound ? "at least " : "") + format_bytes_exactly(picture.peak_bytes()));
    facts.emplace_back("live allocations", format_count(picture.live_after_tick(tick).size()));
    facts.emplace_back("step", format_count(picture.step_of_tick(tick)));
}

void add_oom_facts(const Timeline& device, const Marker& marker, MarkerFacts& facts) {
    const OomState& oom = *marker.oom;
    if (oom.is_recovered) facts.emplace_back("afterwards", "the run went on");
    facts.emplace_back("requested", format_bytes_exactly(marker.bytes.value_or(0)));
    facts.emplace_back("free on the driver",
                       oom.device_free_bytes ? format_bytes_exactly(*oom.device_free_bytes) : "unknown");
    if (!oom.reserved_bytes) return;
    facts.emplace_back("reserved", format_bytes_exactly(*oom.reserved_bytes));
    const std::optional<Holes> holes = holes_at(device, marker);
    if (!holes) return;
    facts.emplace_back("reserved but unused", format_bytes_exactly(holes->total_bytes));
    facts.emplace_back("largest hole", format_bytes_exactly(holes->largest_bytes));
    facts.emplace_back("holes", format_count(holes->count));
}

}  // namespace

Landmarks find_landmarks(const Timeline& device, const AxisPlaces& places, const ReservedHistory* reserved) {
    const EventColumns& events = device.trace().events;
    const Timeline& picture = places.picture();
    Landmarks found;
    const auto add = [&](Marker::Kind kind, std::uint32_t event, std::optional<std::uint64_t> bytes) {
        found.markers.push_back({kind, places.of_event(event), EventId{event}, bytes, {}});
    };
    if (picture.peak_bytes() > 0)
        found.markers.push_back({Marker::Kind::peak,
                                 places.of_tick(picture.peak_tick()),
                                 alloc_event_of_peak(picture),
                                 picture.peak_bytes(),
                                 {}});
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (events.action[event] == Action::snapshot) add(Marker::Kind::snapshot, event, events.size_bytes[event]);
        if (events.action[event] == Action::annotate) add(Marker::Kind::annotate, event, std::nullopt);
    }
    // Marks the end of the recorded events, where the gap begins.
    if (device.trace().unseen_actions > 0)
        add(Marker::Kind::cut_off, static_cast<std::uint32_t>(events.size() - 1), std::nullopt);
    add_ooms(events, places, reserved, found);
    std::ranges::stable_sort(found.markers, {}, [](const Marker& marker) { return marker.place.step; });
    return found;
}

std::string marker_label(const Timeline& picture, const Marker& marker) {
    switch (marker.kind) {
        case Marker::Kind::peak: {
            const KnownPeak known = known_peak(picture);
            const char* words = known.is_at_end ? "at the end: " : known.is_lower_bound ? "peak: at least " : "peak: ";
            return words + format_bytes(picture.peak_bytes());
        }
        case Marker::Kind::oom: return fmt::format("out of memory: {} requested", format_bytes(marker.bytes.value_or(0)));
        case Marker::Kind::snapshot: return "snapshot taken";
        case Marker::Kind::annotate: {
            const std::string text = annotation_of(picture, marker.event);
            return text.empty() ? "annotated" : text;
        }
        case Marker::Kind::cut_off: return "the file is cut off: later events are missing";
    }
    return "";
}

MarkerFacts marker_facts(const Timeline& device, const Timeline& picture, const Marker& marker) {
    const EventColumns& events = device.trace().events;
    MarkerFacts facts;
    if (marker.kind == Marker::Kind::peak)
        add_peak_facts(picture, facts);
    else
        facts.emplace_back("event", format_count(marker.event.value));
    if (marker.event.is_some() && events.time_us[marker.event.value] != k_no_time)
        facts.emplace_back("time", format_wall_clock_us(events.time_us[marker.event.value]));
    if (marker.kind == Marker::Kind::oom) add_oom_facts(device, marker, facts);
    if (marker.kind == Marker::Kind::snapshot)
        facts.emplace_back("active at that time", format_bytes_exactly(marker.bytes.value_or(0)));
    if (marker.kind == Marker::Kind::annotate && events.address[marker.event.value] != 0)
        facts.emplace_back("block", fmt::format("{:#x}", events.address[marker.event.value]));
    return facts;
}

std::optional<Holes> holes_at(const Timeline& device, const Marker& marker) {
    if (!marker.oom || !marker.oom->reserved_bytes) return std::nullopt;
    const std::vector<Holes> holes = holes_after_events(device, std::span(&marker.event.value, 1));
    return holes.empty() ? std::nullopt : std::optional(holes.front());
}

std::uint32_t tick_of_marker(const Timeline& picture, const Marker& marker) {
    if (marker.kind == Marker::Kind::peak || !marker.event.is_some()) return picture.peak_tick();
    const auto done_by = picture.tick_events();
    const auto later = std::ranges::upper_bound(done_by, marker.event.value + 1);
    return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(later - done_by.begin(), 1) - 1);
}

}  // namespace snapviewer
