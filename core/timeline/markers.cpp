#include "core/timeline/markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/answer_budget.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

class LandmarkFinder {
public:
    LandmarkFinder(const Timeline& device, const AxisPlaces& places, const ReservedHistory* reserved)
        : device_(device),
          picture_(places.picture()),
          places_(places),
          reserved_(reserved),
          events_(device.trace().events) {}

    Landmarks run() {
        if (picture_.peak_bytes() > 0) add_peak();
        for (std::uint32_t event = 0; event < events_.size(); ++event) {
            switch (events_.action[event]) {
                case Action::oom: ooms_.push_back(event); break;
                case Action::snapshot: add_snapshot(event); break;
                case Action::annotate: add_annotate(event); break;
                default: break;
            }
        }
        if (device_.trace().unseen_actions > 0) add_cut_off();
        add_ooms();
        std::ranges::stable_sort(found_.markers, {}, [](const Marker& marker) { return marker.place.step; });
        return std::move(found_);
    }

private:
    Marker& add(Marker::Kind kind, AxisPlace place, std::string label) {
        Marker& marker = found_.markers.emplace_back();
        marker.kind = kind;
        marker.place = place;
        marker.label = std::move(label);
        return marker;
    }

    Marker& add_event(Marker::Kind kind, std::uint32_t event, std::string label) {
        Marker& marker = add(kind, places_.of_event(event), std::move(label));
        marker.event = EventId{event};
        marker.facts.emplace_back("event", format_count(event));
        if (events_.time_us[event] != k_no_time)
            marker.facts.emplace_back("time", format_wall_clock_us(events_.time_us[event]));
        return marker;
    }

    void add_peak() {
        const std::uint32_t tick = picture_.peak_tick();
        const std::uint64_t peak_bytes = picture_.peak_bytes();
        const KnownPeak known = known_peak(picture_);
        const char* words = known.is_at_end ? "at the end: " : known.is_lower_bound ? "peak: at least " : "peak: ";
        Marker& marker = add(Marker::Kind::peak, places_.of_tick(tick), words + format_bytes(peak_bytes));
        marker.bytes = peak_bytes;
        marker.facts.emplace_back("total", (known.is_lower_bound ? "at least " : "") + format_bytes_exactly(peak_bytes));
        marker.facts.emplace_back("live allocations", format_count(picture_.live_after_tick(tick).size()));
        marker.facts.emplace_back("step", format_count(picture_.step_of_tick(tick)));
        const std::uint32_t events_done = picture_.tick_events()[tick];
        if (tick > 0 && tick + 1 < picture_.tick_count() && events_done > 0 && picture_.allocation_at_tick(tick).is_some()) {
            const EventId event = picture_.trace().allocations.alloc_event[picture_.allocation_at_tick(tick).value];
            marker.event = event;
            if (event.is_some() && events_.time_us[event.value] != k_no_time)
                marker.facts.emplace_back("time", format_wall_clock_us(events_.time_us[event.value]));
        }
    }

    void add_snapshot(std::uint32_t event) {
        Marker& marker = add_event(Marker::Kind::snapshot, event, "snapshot taken");
        marker.bytes = events_.size_bytes[event];
        marker.facts.emplace_back("active at that time", format_bytes_exactly(events_.size_bytes[event]));
    }

    void add_annotate(std::uint32_t event) {
        const Snapshot& snapshot = device_.snapshot();
        const MetadataId metadata = events_.metadata[event];
        const StringId note = metadata.is_some() ? snapshot.metadata[metadata.value].user_metadata : StringId::none();
        const std::string text = shortened(snapshot.strings.view(note), limits::k_most_source_bytes);
        Marker& marker = add_event(Marker::Kind::annotate, event, text.empty() ? "annotated" : text);
        if (events_.address[event] != 0) marker.facts.emplace_back("block", fmt::format("{:#x}", events_.address[event]));
    }

    /// Marks the end of the recorded events, where the gap begins.
    void add_cut_off() {
        add_event(Marker::Kind::cut_off, static_cast<std::uint32_t>(events_.size() - 1),
                  "the file is cut off: later events are missing");
    }

    void add_ooms() {
        const std::vector<Holes> holes = holes_after_events(device_, ooms_);
        const std::set<std::uint32_t> recovered = recovered_ooms(events_);
        std::uint64_t capacity_bytes = 0;
        for (std::size_t i = 0; i < ooms_.size(); ++i) {
            const std::uint32_t event = ooms_[i];
            const std::uint64_t requested = events_.size_bytes[event];
            const std::optional<std::uint64_t> driver_free = events_.free_bytes(event);
            Marker& marker =
                add_event(Marker::Kind::oom, event, fmt::format("out of memory: {} requested", format_bytes(requested)));
            marker.bytes = requested;
            OomState& oom = marker.oom.emplace();
            oom.device_free_bytes = driver_free;
            oom.is_recovered = recovered.contains(event);
            if (oom.is_recovered) marker.facts.emplace_back("afterwards", "the run went on");
            marker.facts.emplace_back("requested", format_bytes_exactly(requested));
            marker.facts.emplace_back("free on the driver", driver_free ? format_bytes_exactly(*driver_free) : "unknown");
            if (reserved_ == nullptr) continue;
            const std::uint64_t reserved = reserved_->after_events(event);
            oom.reserved_bytes = reserved;
            if (driver_free) capacity_bytes = std::max(capacity_bytes, reserved + *driver_free);
            marker.facts.emplace_back("reserved", format_bytes_exactly(reserved));
            if (holes.empty()) continue;
            oom.holes = holes[i];
            marker.facts.emplace_back("reserved but unused", format_bytes_exactly(holes[i].total_bytes));
            marker.facts.emplace_back("largest hole", format_bytes_exactly(holes[i].largest_bytes));
            marker.facts.emplace_back("holes", format_count(holes[i].count));
        }
        if (capacity_bytes == 0) return;
        found_.levels.push_back({"capacity", "capacity",
                                 "The most memory that was reserved or free on the driver when memory ran out. It does not "
                                 "include what other programs held at that time.",
                                 static_cast<double>(capacity_bytes)});
    }

    const Timeline& device_;
    const Timeline& picture_;
    const AxisPlaces& places_;
    const ReservedHistory* reserved_;
    const EventColumns& events_;
    std::vector<std::uint32_t> ooms_;
    Landmarks found_;
};

}  // namespace

Landmarks find_landmarks(const Timeline& device, const AxisPlaces& places, const ReservedHistory* reserved) {
    return LandmarkFinder(device, places, reserved).run();
}

std::uint32_t tick_of_marker(const Timeline& picture, const Marker& marker) {
    if (marker.kind == Marker::Kind::peak || !marker.event.is_some()) return picture.peak_tick();
    const auto done_by = picture.tick_events();
    const auto later = std::ranges::upper_bound(done_by, marker.event.value + 1);
    return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(later - done_by.begin(), 1) - 1);
}

}  // namespace snapviewer
