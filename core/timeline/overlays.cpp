#include "core/timeline/overlays.h"

#include <algorithm>

#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/trace/annotations.h"

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
        const std::int64_t left_us = timeline_.start_time_us();
        const std::int64_t right_us = timeline_.has_times() ? left_us + timeline_.tick_times_us().back() : left_us;
        const bool ends_before = end_us != k_no_time && end_us < left_us;
        const bool starts_after = start_us != k_no_time && start_us > right_us;
        if (!timeline_.has_times() || ends_before || starts_after) {
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
                              limits::k_max_source_bytes);
        band.from = band.open_start ? places.left_edge() : mark_places[pair.start];
        band.to = band.open_end ? places.right_edge() : mark_places[pair.end];
        track.bands.push_back(std::move(band));
    }
    arrange(track);
    return track;
}

/// The bands of ranges that torch.profiler recorded: the device's external_annotations, placed by time, and its user_defined
/// events, placed by event index. ProfilerStep#N ranges get a track of their own. Leaves out ranges outside the picture. A
/// range that extends beyond the picture has an open end there. O(n log n).
std::vector<BandTrack> annotation_tracks(const AxisPlaces& places) {
    BandTrack steps{"profiler steps", {}, 0, {}};
    BandTrack others{"annotations", {}, 0, {}};
    TimedBands bands(places);
    const Snapshot& snapshot = places.picture().snapshot();
    for (const AnnotationRange& range : annotation_ranges(snapshot)) {
        check_stop();
        if (range.device != places.picture().trace().device) continue;
        const std::string name = shortened(snapshot.strings.view(range.name), limits::k_max_source_bytes);
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

/// The bands of a track that the file contains, placed by time like those of annotation_tracks().
BandTrack range_track(const Track& track, const AxisPlaces& places) {
    BandTrack out{track.name, {}, 0, {}};
    TimedBands bands(places);
    for (const Range& range : track.ranges) bands.add(out, range.name, range.start_us, range.end_us);
    out.note = track.note.empty() ? bands.note() : track.note;
    arrange(out);
    return out;
}

/// Collects the points of a curve. Skips a value that is equal to the previous one.
class CurvePoints {
public:
    void reserve(std::size_t count) {
        places_.reserve(count);
        values_.reserve(count);
    }
    void add(AxisPlace place, double value) {
        if (!values_.empty() && values_.back() == value) return;
        if (!places_.empty()) {  // events may be out of order, but the points of a curve must not be
            place.step = std::max(place.step, places_.back().step);
            place.time_us = std::max(place.time_us, places_.back().time_us);
        }
        places_.push_back(place);
        values_.push_back(value);
    }
    Curve take(CurveTitle title) { return {std::move(title), std::move(places_), std::move(values_)}; }

private:
    std::vector<AxisPlace> places_;
    std::vector<double> values_;
};

constexpr const char* k_rounding_doc =
    "Sizes are as requested; what the allocator adds when it rounds them up is part of the gap to the reserved bytes.";

/// The title of a computed curve.
CurveTitle memory_title(const char* name, CurveRole role, std::string doc) {
    return {name, name, std::move(doc), Unit::bytes, SeriesShape::line, role};
}

/// Returns a function that maps the ticks of a device, in ascending order, to positions in a picture of the same events.
auto tick_places(const Timeline& device, const AxisPlaces& places) {
    return [&, picture_tick = std::uint32_t{0}](std::uint32_t tick) mutable {
        if (&device == &places.picture()) return places.of_tick(tick);
        const std::uint32_t done = device.tick_events()[tick];
        return done == 0 ? places.left_edge() : places.of_next_event(done - 1, picture_tick);
    };
}

/// The curve of the total of a device's live allocations.
Curve total_curve(const Timeline& device, const AxisPlaces& places, CurveTitle title) {
    title.doc += std::string(" ") + k_rounding_doc;
    if (&device == &places.picture()) return Curve(std::move(title), device.ticks());
    CurvePoints points;
    points.reserve(device.tick_count());
    auto next_place = tick_places(device, places);
    for (std::uint32_t tick = 0; tick + 1 < device.tick_count(); ++tick)
        points.add(next_place(tick), static_cast<double>(device.total_after_tick(tick)));
    return points.take(std::move(title));
}

/// The curve of allocated memory without pending frees: it falls when a free is requested, not when it is completed.
Curve allocated_curve(const Timeline& device, const AxisPlaces& places, const std::vector<PendingSpan>& pending) {
    const std::vector<std::uint64_t>& sizes = device.trace().allocations.size_bytes;
    std::vector<PendingSpan> by_end = pending;
    std::ranges::sort(by_end, {}, &PendingSpan::to_event);
    CurvePoints points;
    points.reserve(device.tick_count() + pending.size());
    auto next_place = tick_places(device, places);
    std::uint64_t pending_bytes = 0;
    std::uint64_t total_bytes = 0;
    const auto allocated_bytes = [&] { return static_cast<double>(total_bytes - std::min(total_bytes, pending_bytes)); };
    auto begins = pending.begin();
    auto ends = by_end.begin();
    for (; begins != pending.end() && !begins->request.is_some(); ++begins) pending_bytes += sizes[begins->id.value];
    for (std::uint32_t tick = 0; tick < device.tick_count(); ++tick) {
        const std::uint32_t done = device.tick_events()[tick];
        for (; begins != pending.end() && begins->request.value < done; ++begins) {
            pending_bytes += sizes[begins->id.value];
            points.add(places.of_event(begins->request.value), allocated_bytes());
        }
        for (; ends != by_end.end() && ends->to_event < done; ++ends) pending_bytes -= sizes[ends->id.value];
        total_bytes = device.total_after_tick(tick);
        points.add(next_place(tick), allocated_bytes());
    }
    return points.take(
        memory_title("allocated", CurveRole::allocated,
                     std::string("Bytes the program held, from the allocation to the request to free. ") + k_rounding_doc));
}

Curve reserved_curve(const AxisPlaces& places, const ReservedHistory& reserved) {
    CurvePoints points;
    points.reserve(reserved.events.size() + 1);
    points.add(places.left_edge(), static_cast<double>(reserved.bytes_at_start));
    std::uint32_t tick = 0;
    for (std::size_t i = 0; i < reserved.events.size(); ++i)
        points.add(places.of_next_event(reserved.events[i], tick), static_cast<double>(reserved.bytes_after[i]));
    return points.take(memory_title("reserved", CurveRole::reserved,
                                    "Bytes reserved from the driver, worked out backwards from the segments at the end and "
                                    "the recorded segment events."));
}

/// The curve of a recorded series of `owner`, which the curve keeps alive. If the series begins before the left edge, its
/// value there is the first one. Points after the right edge are left out.
Curve series_curve(const std::shared_ptr<const DeviceTrace>& owner, const Series& series, const AxisPlaces& places) {
    CurveTitle title{series.id, series.name, {}, series.unit, series.shape, series.role};
    const Timeline& picture = places.picture();
    if (!picture.has_times()) return {std::move(title), std::vector<AxisPlace>{}, {}};
    const SharedColumn<std::int64_t>& times = series.time_us;
    const std::int64_t left_us = picture.start_time_us();
    const auto after_left = std::ranges::upper_bound(times, left_us);
    const auto first = after_left == times.begin() ? after_left : after_left - 1;
    const auto last = std::ranges::upper_bound(times, left_us + picture.tick_times_us().back());
    Curve::Recorded shown;
    shown.series = {owner, &series};
    shown.first = static_cast<std::size_t>(first - times.begin());
    shown.count = static_cast<std::size_t>(std::max<std::ptrdiff_t>(last - first, 0));
    shown.start_us = left_us;
    shown.steps =
        std::make_shared<RecordedSteps>(shown.count, [ticks = picture.ticks(), points = shown.series, begin = shown.first,
                                                      left_us](std::size_t index, std::span<double> steps) {
            find_steps_of_times(*ticks, left_us, std::span(points->time_us).subspan(begin + index, steps.size()), steps);
        });
    return {std::move(title), std::move(shown)};
}

/// The sum of two curves, with a point wherever either changes. Negative values count as 0.
Curve sum_of(const Curve& below, const Curve& curve) {
    CurvePoints points;
    points.reserve(below.size() + curve.size());
    std::size_t i = 0, j = 0;
    while (i < below.size() || j < curve.size()) {
        const bool takes_below = j == curve.size() || (i < below.size() && below.place(i).time_us <= curve.place(j).time_us);
        const AxisPlace place = takes_below ? below.place(i++) : curve.place(j++);
        // If both curves change at the same moment, the sum changes once.
        if (takes_below && j < curve.size() && curve.place(j).time_us == place.time_us) ++j;
        const double below_now = i == 0 ? 0 : below.value(i - 1);
        const double now = j == 0 ? 0 : std::max(0.0, curve.value(j - 1));
        points.add(place, below_now + now);
    }
    return points.take(curve.title());
}

std::vector<Curve> stack_up(const std::vector<Curve>& curves) {
    std::vector<Curve> tops;
    for (const Curve& curve : curves) {
        if (curve.shape() != SeriesShape::stacked) break;
        tops.push_back(sum_of(tops.empty() ? Curve({}, std::vector<AxisPlace>{}, {}) : tops.back(), curve));
    }
    return tops;
}

void add_recorded_tracks(Overlays& overlays, const std::shared_ptr<const DeviceTrace>& device, const AxisPlaces& places) {
    for (const Series& series : device->memory_series) overlays.curves.push_back(series_curve(device, series, places));
    for (const Track& track : device->tracks) {
        if (!track.ranges.empty()) overlays.band_tracks.push_back(range_track(track, places));
        if (track.series.empty() && !track.ranges.empty()) continue;
        CurveTrack& out = overlays.curve_tracks.emplace_back();
        out.name = track.name;
        out.note = track.note;
        for (const Series& series : track.series) out.curves.push_back(series_curve(device, series, places));
        if (out.note.empty() && !out.curves.empty() && !places.picture().has_times())
            out.note = "cannot be shown, because the picture has no times";
    }
}

void add_memory_curves(Overlays& overlays, const Timeline& device, const AxisPlaces& places,
                       const std::vector<PendingSpan>& pending, const ReservedHistory* reserved) {
    if (!device.trace().memory_series.empty()) return;  // the file contains its own curves
    CurveTitle total =
        memory_title("allocated", CurveRole::allocated,
                     "Bytes the program held. No free waited for another stream, so the active bytes are the same.");
    if (!pending.empty()) {
        overlays.in_use = CurveRole::active;
        overlays.curves.push_back(allocated_curve(device, places, pending));
        total = memory_title("active", CurveRole::active,
                             "Bytes in use: what the program held plus what it freed but other streams may still use.");
    }
    overlays.curves.push_back(total_curve(device, places, std::move(total)));
    if (reserved != nullptr) overlays.curves.push_back(reserved_curve(places, *reserved));
}

void add_pending(Overlays& overlays, const Timeline& picture, const AxisPlaces& places,
                 const std::vector<PendingSpan>& pending) {
    const std::size_t event_count = picture.trace().events.size();
    overlays.pending.reserve(pending.size());
    for (const PendingSpan& span : pending) {
        const AxisPlace to = span.to_event == event_count ? places.right_edge() : places.of_event(span.to_event);
        const AxisPlace from = span.request.is_some() ? places.of_event(span.request.value) : places.left_edge();
        overlays.pending.push_back({span.id, from, to});
    }
}

}  // namespace

Overlays make_overlays(const Timeline& picture, const Timeline& device) {
    const AxisPlaces places(picture);
    const std::vector<PendingSpan> pending = pending_frees(device);
    check_stop();
    const std::optional<ReservedHistory> reserved = reserved_history(device.snapshot(), device.trace());
    const ReservedHistory* known_reserved = reserved ? &*reserved : nullptr;
    Overlays overlays;
    overlays.has_allocations = device.allocation_count() > 0;
    add_memory_curves(overlays, device, places, pending, known_reserved);
    check_stop();
    Landmarks landmarks = find_landmarks(device, places, known_reserved);
    overlays.markers = std::move(landmarks.markers);
    overlays.levels = std::move(landmarks.levels);
    for (const RecordedLevel& level : device.trace().levels)
        overlays.levels.push_back({level.id, level.name, level.doc, level.bytes});
    check_stop();
    overlays.band_tracks = annotation_tracks(places);
    add_recorded_tracks(overlays, device.shared_trace(), places);
    overlays.stack_tops = stack_up(overlays.curves);
    if (&picture == &device) add_pending(overlays, picture, places, pending);
    check_stop();
    return overlays;
}

}  // namespace snapviewer
