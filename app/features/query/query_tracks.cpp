#include "app/features/query/query_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/features/timeline/timeline_axis.h"

namespace snapviewer {
namespace {

/// Maps a step to its position on both axes. Steps past the end of the picture map to its last time.
AxisPlace place_of_step(const Timeline& timeline, double step) {
    if (!timeline.has_times()) return {step, 0};
    const std::uint32_t tick = timeline.tick_at(Axis::steps, std::clamp(step, 0.0, axis_end(timeline, Axis::steps)));
    return {step, place_of_tick(timeline, Axis::time, tick)};
}

/// Converts a series to a curve. If several values have the same step, the last one is used, because a curve has one value
/// per position.
Curve curve_of(const Timeline& timeline, const ChartSeries& series, Unit unit) {
    std::vector<AxisPlace> places;
    std::vector<double> values;
    for (const ChartPoint& point : series.points) {
        if (!places.empty() && places.back().step == point.x) {
            values.back() = point.y;
            continue;
        }
        places.push_back(place_of_step(timeline, point.x));
        values.push_back(point.y);
    }
    return {{.id = "", .name = series.name, .doc = "", .unit = unit}, std::move(places), std::move(values)};
}

}  // namespace

void QueryTracks::add() {
    const QueryPaneState& pane = state_.query;
    if (state_.current_timeline() == nullptr || pane.shown_answer >= pane.answers.size()) return;
    const StatementAnswer& answer = pane.answers[pane.shown_answer];
    if (!why_no_track(*answer.chart).empty()) return;
    making_.start([timeline = state_.devices[state_.device_index].current().made.timeline, chart = answer.chart,
                   sql = answer.sql](const Progress&) {
        QueryTrack query{timeline, {chart->y_name, {}, ""}, sql};
        for (const ChartSeries& series : chart->series)
            query.track.curves.push_back(curve_of(*timeline, series, track_unit(*chart)));
        return query;
    });
}

void QueryTracks::update() {
    std::optional<QueryTrack> made = making_.take();
    if (!made) return;
    const auto is_taken = [&](const std::string& name) {
        const auto has_name = [&](const QueryTrack& each) { return each.track.name == name; };
        const auto& tracks = state_.current_overlays().curve_tracks;
        return std::ranges::any_of(state_.query_tracks, has_name) ||
               std::ranges::find(tracks, name, &CurveTrack::name) != tracks.end();
    };
    const std::string name = made->track.name;
    for (int number = 2; is_taken(made->track.name); ++number) made->track.name = fmt::format("{} ({})", name, number);
    state_.timeline.overlays.samples.forget();
    state_.query_tracks.push_back(std::move(*made));
    state_.preferences.tracks.show = true;
}

void QueryTracks::remove(std::size_t index) {
    if (index >= state_.query_tracks.size()) return;
    state_.timeline.overlays.samples.forget();
    state_.query_tracks.erase(state_.query_tracks.begin() + static_cast<std::ptrdiff_t>(index));
}

void QueryTracks::forget() {
    making_.discard();
    state_.timeline.overlays.samples.forget();
    state_.query_tracks.clear();
}

}  // namespace snapviewer
