#include "core/timeline/bands.h"

#include <algorithm>

#include "core/base/answer_limits.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/trace/ranges.h"

namespace snapviewer {
namespace {

/// Sorts the bands by start, outer bands first, and sets their levels.
void arrange(BandTrack& track) {
    std::ranges::stable_sort(track.bands, [](const Band& a, const Band& b) {
        if (a.from.step != b.from.step) return a.from.step < b.from.step;
        return a.from.time_us != b.from.time_us ? a.from.time_us < b.from.time_us : a.to.step > b.to.step;
    });
    std::vector<Extent> extents;
    extents.reserve(track.bands.size());
    // A band may have no length in steps but one in time. The sum of both coordinates grows with either.
    for (const Band& band : track.bands)
        extents.push_back({band.from.step + band.from.time_us, band.to.step + band.to.time_us});
    const std::vector<std::uint32_t> levels = stacking_levels(extents);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        track.bands[i].level = levels[i];
        track.level_count = std::max(track.level_count, levels[i] + 1);
    }
}

/// Adds bands for ranges that are given by time, and counts ranges that have no place in the picture.
class TimedBands {
public:
    explicit TimedBands(const AxisPlaces& places) : timeline_(places.picture()), places_(places) {}

    void add(BandTrack& track, std::string_view name, std::int64_t start_us, std::int64_t end_us) {
        if (!timeline_.has_times()) {
            ++without_place_;
            return;
        }
        const std::int64_t left_us = timeline_.start_time_us();
        const std::int64_t right_us = left_us + timeline_.tick_times_us().back();
        const bool ends_before = end_us != k_no_time && end_us < left_us;
        const bool starts_after = start_us != k_no_time && start_us > right_us;
        if (ends_before || starts_after) {
            ++without_place_;
            return;
        }
        Band band;
        band.name = name;
        band.open_start = start_us == k_no_time || start_us < left_us;
        band.open_end = end_us == k_no_time || end_us > right_us;
        band.from = band.open_start ? places_.left_edge() : places_.of_time(start_us);
        band.to = band.open_end ? places_.right_edge() : places_.of_time(end_us);
        track.bands.push_back(std::move(band));
    }

    /// The reason that a track shows fewer bands than the file has ranges; empty if it shows all.
    std::string note() const {
        if (without_place_ == 0) return {};
        const std::string ranges = counted(without_place_, "range");
        if (timeline_.has_recorded_steps()) return ranges + " not shown: this picture has no time axis";
        if (!timeline_.has_times()) return ranges + " not shown: the events have no times";
        return ranges + " outside the recording";
    }

private:
    const Timeline& timeline_;
    const AxisPlaces& places_;
    std::uint64_t without_place_ = 0;
};

bool is_profiler_step(std::string_view name) { return name.starts_with("ProfilerStep#"); }

/// The bands of ranges that PyTorch nightlies of mid 2024 wrote among the events. The innermost frame describes an end of a
/// range: its function is "START" or "END", and its file is the name of the range.
BandTrack user_defined_track(const AxisPlaces& places) {
    const Snapshot& snapshot = places.picture().snapshot();
    const EventColumns& events = places.picture().trace().events;
    const StringId start = snapshot.strings.find("START");
    std::vector<RangeMark> marks;
    std::vector<AxisPlace> mark_places;
    for (auto at = std::ranges::find(events.action, Action::user_defined); at != events.action.end();
         at = std::find(at + 1, events.action.end(), Action::user_defined)) {
        const auto event = static_cast<std::uint32_t>(at - events.action.begin());
        const auto frames = snapshot.stacks.stack(events.stack[event]);
        if (frames.empty()) continue;
        const Frame& frame = snapshot.stacks.frame(frames.front());
        marks.push_back({frame.file, frame.function == start});
        mark_places.push_back(places.of_event(event));
    }
    BandTrack track{"user ranges", {}, 0, {}};
    for (const MarkPair& pair : pair_marks(marks)) {
        Band band;
        band.open_start = pair.start == MarkPair::k_missing;
        band.open_end = pair.end == MarkPair::k_missing;
        band.name = shortened(snapshot.strings.view(marks[band.open_start ? pair.end : pair.start].name),
                              limits::k_most_source_bytes);
        band.from = band.open_start ? places.left_edge() : mark_places[pair.start];
        band.to = band.open_end ? places.right_edge() : mark_places[pair.end];
        track.bands.push_back(std::move(band));
    }
    arrange(track);
    return track;
}

}  // namespace

std::vector<BandTrack> annotation_tracks(const AxisPlaces& places) {
    BandTrack steps{"profiler steps", {}, 0, {}};
    BandTrack others{"annotations", {}, 0, {}};
    TimedBands bands(places);
    const Snapshot& snapshot = places.picture().snapshot();
    for (const AnnotationRange& range : annotation_ranges(snapshot)) {
        check_stop();
        if (range.device != places.picture().trace().device) continue;
        const std::string name = shortened(snapshot.strings.view(range.name), limits::k_most_source_bytes);
        bands.add(is_profiler_step(name) ? steps : others, name, range.start_us, range.end_us);
    }
    others.note = bands.note();
    std::vector<BandTrack> tracks;
    for (BandTrack* track : {&steps, &others}) {
        if (track->bands.empty() && track->note.empty()) continue;
        arrange(*track);
        tracks.push_back(std::move(*track));
    }
    BandTrack user_defined = user_defined_track(places);
    if (!user_defined.bands.empty()) tracks.push_back(std::move(user_defined));
    return tracks;
}

BandTrack range_track(const Track& track, const AxisPlaces& places) {
    BandTrack out{track.name, {}, 0, {}};
    TimedBands bands(places);
    for (const Range& range : track.ranges) bands.add(out, range.name, range.start_us, range.end_us);
    out.note = track.note.empty() ? bands.note() : track.note;
    arrange(out);
    return out;
}

}  // namespace snapviewer
