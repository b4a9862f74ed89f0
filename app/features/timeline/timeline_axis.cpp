#include "app/features/timeline/timeline_axis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/features/timeline/allocation_text.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

enum class Edge : std::uint8_t { begin, end };

/// Converts a position between the axes; extrapolates linearly beyond the ends. If several ticks have the same time, a view
/// begins at the first and ends at the last of them.
double change_place(const Timeline& timeline, double x, Edge edge, Axis from, Axis to) {
    if (x <= 0 || x >= axis_end(timeline, from)) return x * axis_end(timeline, to) / axis_end(timeline, from);
    std::uint32_t tick = timeline.tick_at(from, x);
    if (edge == Edge::begin) {
        while (tick > 0 && place_of_tick(timeline, from, tick - 1) == x) --tick;
    }
    const std::uint32_t next = std::min(tick + 1, timeline.tick_count() - 1);
    const double begin = place_of_tick(timeline, from, tick);
    const double length = place_of_tick(timeline, from, next) - begin;
    const double part = length > 0 ? (x - begin) / length : 0.0;
    return std::lerp(place_of_tick(timeline, to, tick), place_of_tick(timeline, to, next), part);
}

/// Widens [begin, end) about its middle to at least `least`.
void widen(double& begin, double& end, double min_size) {
    const double missing = min_size - (end - begin);
    if (missing <= 0) return;
    begin -= missing / 2;
    end += missing / 2;
}

/// Returns the left edge of a view of this width around `x`. The view stays inside the recording, or contains all of it if
/// the recording is narrower.
double begin_around(double x, double width, const ViewLimits& limits) {
    const double room = limits.x_end - width;
    return std::clamp(x - width / 2, std::min(0.0, room), std::max(0.0, room));
}

}  // namespace

double axis_end(const Timeline& timeline, Axis axis) {
    return std::max(1.0, place_of_tick(timeline, axis, timeline.tick_count() - 1));
}

ViewLimits view_limits(const Timeline& timeline, Axis axis, double top_bytes) {
    ViewLimits limits;
    limits.x_end = axis_end(timeline, axis);
    limits.y_end = std::max({1.0, static_cast<double>(timeline.peak_bytes()), top_bytes});
    limits.min_width = std::clamp(limits.x_end, 1.0, limits.min_width);  // a recording of a single step fills the window
    return limits;
}

const char* why_no_times(const Timeline& timeline) {
    return timeline.trace().kind == ViewKind::pools
               ? "The picture of pools has no time axis, because it has its own steps"
               : "This file has no times, because its events were recorded without a clock";
}

Axis default_axis(const Timeline& timeline) {
    if (!timeline.has_times()) return Axis::steps;
    const DeviceTrace& trace = timeline.trace();
    const bool is_about_time =
        trace.presentation.prefers_time || !trace.presentation.time_axis_title.empty() || timeline.step_count() == 0;
    return is_about_time ? Axis::time : Axis::steps;
}

const std::string& axis_title(const Timeline& timeline, Axis axis) {
    return axis == Axis::time ? timeline.trace().presentation.time_axis_title
                              : timeline.trace().presentation.step_axis_title;
}

std::string picture_name(const Timeline& timeline, Axis axis) {
    const bool knows_device = timeline.trace().presentation.step_axis_title.empty();
    return knows_device ? device_name(timeline.trace()) : axis_title(timeline, axis);
}

View change_axis(const Timeline& timeline, const View& view, Axis from, Axis to) {
    if (from == to) return view;
    View changed = view;
    changed.x_begin = change_place(timeline, view.x_begin, Edge::begin, from, to);
    changed.x_end = change_place(timeline, view.x_end, Edge::end, from, to);
    widen(changed.x_begin, changed.x_end, view_limits(timeline, to).min_width);
    return changed;
}

std::optional<View> same_moments(const Timeline& from, const View& view, const Timeline& to, Axis axis) {
    if (view.x_begin <= 0 && view.x_end >= axis_end(from, axis)) return std::nullopt;
    const bool has_clock = from.start_time_us() != k_no_time;
    if (!from.has_times() || !to.has_times() || has_clock != (to.start_time_us() != k_no_time)) return std::nullopt;
    View moments = change_axis(from, view, axis, Axis::time);
    const double later = has_clock ? static_cast<double>(from.start_time_us() - to.start_time_us()) : 0;
    moments.x_begin += later;
    moments.x_end += later;
    if (moments.x_end <= 0 || moments.x_begin >= axis_end(to, Axis::time)) return std::nullopt;
    View found = change_axis(to, moments, Axis::time, axis);
    const View all = fit_view(view_limits(to, axis));
    found.y_begin = all.y_begin;
    found.y_end = all.y_end;
    return found;
}

std::string place_text(Axis axis, double x) {
    if (axis == Axis::time) return format_duration_us(static_cast<std::int64_t>(std::llround(x)));
    return "step " + format_count(static_cast<std::uint64_t>(std::max(0.0, x)));
}

std::string step_text(const Timeline& timeline, double step) {
    const std::string& title = timeline.trace().presentation.step_axis_title;
    if (title.empty()) return place_text(Axis::steps, step);
    return title + " " + format_count(static_cast<std::uint64_t>(std::max(0.0, step)));
}

std::string tick_text(const Timeline& timeline, std::uint32_t tick) {
    return step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)));
}

std::string moment_text(const Timeline& timeline, Axis axis, double x) {
    std::string text = axis == Axis::steps ? step_text(timeline, x) : place_text(axis, x);
    if (!timeline.has_times() || x < 0 || x > axis_end(timeline, axis)) return text;
    if (axis == Axis::steps)
        return text + "  ·  " + place_text(Axis::time, change_place(timeline, x, Edge::end, axis, Axis::time));
    const std::int64_t start_us = timeline.start_time_us();
    if (start_us == k_no_time) return text;
    return text + "  ·  " + format_wall_clock_us(start_us + static_cast<std::int64_t>(x)) + " UTC";
}

Outline make_outline(const Timeline& timeline, Axis axis, AllocationId id) {
    const std::vector<PathPoint> path = timeline.path(id);
    const auto steps = timeline.tick_steps();
    Outline outline;
    outline.id = id;
    outline.size_bytes = static_cast<double>(timeline.trace().allocations.size_bytes[id.value]);
    outline.x.reserve(path.size());
    outline.low_bytes.reserve(path.size());
    for (const PathPoint& point : path) {
        const auto low = static_cast<double>(point.offset_bytes);
        auto x = static_cast<double>(point.step);
        if (axis == Axis::time) {
            // A slide takes three steps but no time, so on the time axis it ends where it begins.
            const auto after = std::upper_bound(steps.begin(), steps.end(), point.step);
            const auto tick = std::max<std::ptrdiff_t>(0, after - steps.begin() - 1);
            const bool is_slide_end = !outline.x.empty() && low < outline.low_bytes.back();
            x = is_slide_end ? outline.x.back()
                             : static_cast<double>(timeline.tick_times_us()[static_cast<std::size_t>(tick)]);
        }
        outline.x.push_back(x);
        outline.low_bytes.push_back(low);
    }
    return outline;
}

std::vector<std::size_t> visible_points(const Outline& outline, const View& view, double pixel_width) {
    const std::vector<double>& x = outline.x;
    const auto begin = std::lower_bound(x.begin(), x.end(), view.x_begin);
    const auto end = std::upper_bound(begin, x.end(), view.x_end);
    const auto last = end == x.end() ? end : end + 1;
    std::vector<std::size_t> points;
    for (auto at = begin == x.begin() ? begin : begin - 1; at != last;) {
        const auto next = std::max(at + 1, std::lower_bound(at, last, *at + pixel_width));
        const auto first_low = outline.low_bytes.begin() + (at - x.begin());
        const auto [lowest, highest] = std::minmax_element(first_low, first_low + (next - at));
        std::array<std::ptrdiff_t, 4> kept = {at - x.begin(), lowest - outline.low_bytes.begin(),
                                              highest - outline.low_bytes.begin(), next - x.begin() - 1};
        std::ranges::sort(kept);
        for (const std::ptrdiff_t point : kept) {
            if (points.empty() || static_cast<std::size_t>(point) != points.back())
                points.push_back(static_cast<std::size_t>(point));
        }
        at = next;
    }
    return points;
}

View bounds(const Outline& outline) {
    const auto [low, high] = std::minmax_element(outline.low_bytes.begin(), outline.low_bytes.end());
    return {outline.x.front(), outline.x.back(), *low, *high + outline.size_bytes};
}

View frame_view(const View& target, const ViewLimits& limits) {
    View view = target;
    widen(view.x_begin, view.x_end, std::max(limits.min_width, target.width() * 1.25));
    widen(view.y_begin, view.y_end, std::max(limits.min_height, target.height() * 1.6));
    return pan_view(view, 0, 0, limits);
}

View peak_view(const Timeline& timeline, Axis axis) {
    const double peak = place_of_tick(timeline, axis, timeline.peak_tick());
    const ViewLimits limits = view_limits(timeline, axis);
    const double width = 2 * std::max(limits.min_width, limits.x_end * 0.02);
    const double begin = begin_around(peak, width, limits);
    return {begin, begin + width, 0, fit_view(limits).y_end};
}

View centre_view(const View& view, double x, const ViewLimits& limits) {
    const double edge = 0.05 * view.width();
    const bool is_well_in_view = x >= view.x_begin + edge && x <= view.x_end - edge;
    const bool is_all_in_view = view.x_begin <= 0 && view.x_end >= limits.x_end;
    if (is_well_in_view || is_all_in_view) return view;
    return pan_view(view, begin_around(x, view.width(), limits) - view.x_begin, 0, limits);
}

namespace {

constexpr std::size_t k_max_pieces = 400;
constexpr std::uint32_t k_max_ticks = 4000;  // maximum number of ticks examined for one allocation

/// Adds pieces along the lower edge of an allocation while its free is pending.
void add_pieces(const Timeline& timeline, const PendingFree& pending, Axis axis, const View& view,
                std::vector<PendingPiece>& pieces) {
    const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
    const double begin = std::max(pending.from.on(axis), view.x_begin);
    const double end = std::min(pending.to.on(axis), view.x_end);
    const auto size = static_cast<double>(sizes[pending.id.value]);
    const double slide = axis == Axis::steps ? static_cast<double>(Timeline::k_slide_steps) : 0.0;
    const std::uint32_t first = timeline.tick_at(axis, begin);
    double low = 0;
    for (const AllocationId id : timeline.live_after_tick(first)) {
        if (id < pending.id) low += static_cast<double>(sizes[id.value]);
    }
    const auto fall_at = [&](std::uint32_t tick) {
        const AllocationId id = timeline.allocation_at_tick(tick);
        return timeline.is_free(tick) && id < pending.id ? static_cast<double>(sizes[id.value]) : 0.0;
    };
    const auto add = [&](double from, double to, double low_from, double low_to) {
        const double left = std::max(from, begin);
        const double right = std::min(to, end);
        if (right <= left) return;
        const auto low_at = [&](double x) { return low_from + (low_to - low_from) * (x - from) / (to - from); };
        pieces.push_back({left, right, low_at(left), low_at(right), size});
    };
    double x = begin;
    low += fall_at(first);  // the slide of the first tick may not have ended yet
    for (std::uint32_t tick = first; tick + 1 < timeline.tick_count() && tick - first < k_max_ticks; ++tick) {
        const double place = place_of_tick(timeline, axis, tick);
        if (place >= end) break;
        const double fall = fall_at(tick);
        if (fall == 0) continue;
        add(x, place, low, low);
        add(place, place + slide, low, low - fall);
        low -= fall;
        x = place + slide;
    }
    add(x, end, low, low);
}

}  // namespace

std::vector<PendingPiece> pending_pieces(const Timeline& timeline, const std::vector<PendingFree>& pending, Axis axis,
                                         const View& view, double min_width) {
    std::vector<PendingPiece> pieces;
    if (timeline.has_recorded_paths()) return pieces;
    for (const PendingFree& each : pending) {
        const double begin = each.from.on(axis);
        const double end = each.to.on(axis);
        if (begin > view.x_end) break;
        if (end < view.x_begin || end - begin < min_width) continue;
        add_pieces(timeline, each, axis, view, pieces);
        if (pieces.size() >= k_max_pieces) break;
    }
    std::erase_if(pieces, [&view](const PendingPiece& piece) {
        return piece.low_bytes + piece.size_bytes < view.y_begin || piece.end_low_bytes > view.y_end;
    });
    return pieces;
}

const std::vector<PendingPiece>& PendingCache::of(const Timeline& timeline, const std::vector<PendingFree>& pending,
                                                  Axis axis, const View& view, double min_width) {
    const Key key{axis, view, min_width};
    if (key_ != key) pieces_ = pending_pieces(timeline, pending, axis, view, min_width);
    key_ = key;
    return pieces_;
}

std::span<const ValueSpan> CurveSamples::of(const Curve& curve, Axis axis, const View& view, int columns) {
    Entry& entry = entries_[&curve];
    const auto count = static_cast<std::size_t>(std::max(columns, 1));
    if (entry.columns.size() == count && entry.axis == axis && entry.x_begin == view.x_begin && entry.x_end == view.x_end) {
        return entry.columns;
    }
    entry.axis = axis;
    entry.x_begin = view.x_begin;
    entry.x_end = view.x_end;
    entry.columns.assign(count, {});
    curve.sample(axis, view.x_begin, view.x_end, entry.columns);
    ValueSpan previous = entry.columns.front();
    for (ValueSpan& column : entry.columns) {
        const ValueSpan sampled = column;
        column.low = std::min(column.low, previous.high);
        column.high = std::max(column.high, previous.low);
        previous = sampled;
    }
    return entry.columns;
}

}  // namespace snapviewer
