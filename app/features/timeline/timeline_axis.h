#pragma once

#include <glm/vec2.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/state_parts.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// Maps a view to a rectangle of window pixels, with y downwards.
struct Projection {
    View view;
    ScreenPoint min, max;

    double width_px() const { return size_px().x; }
    double height_px() const { return size_px().y; }
    /// Returns the point of the view under a pixel.
    glm::dvec2 at(ScreenPoint px) const {
        const glm::dvec2 share = (glm::dvec2(px.x, px.y) - min_px()) / size_px();
        return glm::dvec2(view.x_begin, view.y_end) + share * glm::dvec2(view.width(), -view.height());
    }
    /// Returns the pixel of a point of the view. In double precision, because it may be far outside the window.
    glm::dvec2 px_of(glm::dvec2 point) const {
        const glm::dvec2 share = (point - glm::dvec2(view.x_begin, view.y_end)) / glm::dvec2(view.width(), -view.height());
        return min_px() + share * size_px();
    }
    double x_at(float px) const { return at({px, min.y}).x; }
    double y_at(float px) const { return at({min.x, px}).y; }
    double px_of_x(double x) const { return px_of({x, view.y_end}).x; }
    double px_of_y(double y) const { return px_of({view.x_begin, y}).y; }
    /// Returns the column or row of pixels of a position, at most `margin_px` outside the rectangle.
    float column_of(double x, double margin_px = 0) const { return clamped(px_of_x(x), min.x, max.x, margin_px); }
    float row_of(double y, double margin_px = 0) const { return clamped(px_of_y(y), min.y, max.y, margin_px); }

private:
    static float clamped(double px, double from, double to, double margin_px) {
        return static_cast<float>(std::clamp(px, from - margin_px, to + margin_px));
    }
    glm::dvec2 min_px() const { return {min.x, min.y}; }
    glm::dvec2 size_px() const { return glm::dvec2(max.x, max.y) - min_px(); }
};

/// Factor by which one notch of the wheel scales the visible range.
inline constexpr double k_zoom_per_notch = 0.85;

/// Right edge of the picture: steps, or microseconds since the left edge.
double axis_end(const Timeline& timeline, Axis axis);
/// Returns the limits of the view. `top_bytes`: upper end of the overlays that are drawn over the allocations.
ViewLimits view_limits(const Timeline& timeline, Axis axis, double top_bytes = 0);

/// Returns why there is no time axis, as a sentence. Precondition: Timeline::has_times() is false.
const char* why_no_times(const Timeline& timeline);
/// Returns the initial axis of a picture: steps, unless the file is primarily about time.
Axis default_axis(const Timeline& timeline);
/// Returns the quantity of an axis if it is not the usual one; otherwise empty.
const std::string& axis_title(const Timeline& timeline, Axis axis);

/// Name of a picture, such as "device 0". If the file has no devices, as in reports of one model, the title of the axis,
/// such as "operation order (not time)".
std::string picture_name(const Timeline& timeline, Axis axis);

/// Converts a view from one axis to another, so that it shows the same part of the picture.
View change_axis(const Timeline& timeline, const View& view, Axis from, Axis to);

/// Returns the view of `to` that shows the same range of time as `view` of `from`, at full height. nullopt if `view` shows
/// all of `from`, if the two have no common clock, or if `to` has nothing in that range.
std::optional<View> same_moments(const Timeline& from, const View& view, const Timeline& to, Axis axis);

/// Formats a position on an axis: "step 12,345", or "12.3 ms".
std::string place_text(Axis axis, double x);
/// Formats a step: "step 1,234", or with the file's own name for steps, "operation order (not time) 1,234".
std::string step_text(const Timeline& timeline, double step);
/// Formats the step of a tick like step_text().
std::string tick_text(const Timeline& timeline, std::uint32_t tick);
/// Formats a position together with the time or date that it corresponds to: "step 12,345  ·  12.3 ms", "12.3 ms  ·
/// 2026-11-20 23:57:04.123456 UTC".
std::string moment_text(const Timeline& timeline, Axis axis, double x);

/// The polygon of one allocation: its lower edge as points from left to right, and its height.
struct Outline {
    AllocationId id;
    std::vector<double> x;  ///< x coordinates in steps or microseconds, depending on the axis
    std::vector<double> low_bytes;
    double size_bytes = 0;
    bool is_empty() const { return x.empty(); }
};

/// Computes the outline of an allocation. O(ticks of the allocation's life).
Outline make_outline(const Timeline& timeline, Axis axis, AllocationId id);

/// Returns the indices of the points worth drawing if a pixel is `pixel_width` steps or microseconds wide: the first,
/// lowest, highest and last point of each pixel in view, and one point beyond either side.
std::vector<std::size_t> visible_points(const Outline& outline, const View& view, double pixel_width);

/// Returns the smallest view that contains the whole outline.
View bounds(const Outline& outline);

/// Returns `target` with a margin on all sides, clamped to the limits: the view for "zoom to selection".
View frame_view(const View& target, const ViewLimits& limits);

/// Returns a view of the full height at the peak, with some context on both sides, clamped to the recording.
View peak_view(const Timeline& timeline, Axis axis);

/// Centres `x` at the current zoom, as far as the recording extends; returns `view` unchanged if `x` is already well inside
/// it.
View centre_view(const View& view, double x, const ViewLimits& limits);

/// A part of an allocation's area in the picture, level or sliding down. x is in steps or microseconds, y in bytes.
struct PendingPiece {
    double x_begin = 0, x_end = 0;
    double low_bytes = 0;      ///< lower edge at `x_begin`
    double end_low_bytes = 0;  ///< lower edge at `x_end`; never above `low_bytes`
    double size_bytes = 0;     ///< height in bytes
    bool operator==(const PendingPiece&) const = default;
};

/// Returns the areas of allocations that were freed but still wait for another stream, split into level parts and slides.
/// Only parts in view, only of frees that are at least `min_width` long, and at most a few hundred. Takes milliseconds.
std::vector<PendingPiece> pending_pieces(const Timeline& timeline, const std::vector<PendingFree>& pending, Axis axis,
                                         const View& view, double min_width);

/// Caches pending_pieces(); recomputes them only when the view, the axis or `min_width` changes.
class PendingCache {
public:
    const std::vector<PendingPiece>& of(const Timeline& timeline, const std::vector<PendingFree>& pending, Axis axis,
                                        const View& view, double min_width);

private:
    struct Key {
        Axis axis;
        View view;
        double min_width;
        bool operator==(const Key&) const = default;
    };
    std::optional<Key> key_;
    std::vector<PendingPiece> pieces_;
};

/// Caches the range of values of each curve in each column of pixels. Recomputed only when the view, the axis or the number
/// of columns changes. The ranges of neighbouring columns touch, so that a drawn curve has no gaps; a jump between two
/// columns belongs to the later one.
class CurveSamples {
public:
    /// Returns the ranges of a curve. Valid until the next call for the same curve, or forget().
    std::span<const ValueSpan> of(const Curve& curve, Axis axis, const View& view, int columns);
    /// Clears the cache. Call before the curves are destroyed, because their addresses are the keys.
    void forget() { entries_.clear(); }

private:
    struct Entry {
        Axis axis = Axis::steps;
        double x_begin = 0, x_end = 0;
        std::vector<ValueSpan> columns;
    };
    std::map<const Curve*, Entry> entries_;
};

/// Returns the maximum of the samples in one of `columns` columns. If there are fewer samples than columns, neighbouring
/// columns share a sample. Precondition: there are samples.
template <typename Sample>
Sample highest_in_column(const std::vector<Sample>& samples, std::size_t column, std::size_t columns) {
    const std::size_t begin = column * samples.size() / columns;
    const std::size_t end = std::max(begin + 1, (column + 1) * samples.size() / columns);
    return std::ranges::max(std::span(samples).subspan(begin, end - begin));
}

/// Calls draw(first column, one past the last, value) for each run of columns with equal values.
template <typename ValueAt, typename Draw>
void for_each_run(std::size_t columns, ValueAt value_at, Draw draw) {
    for (std::size_t begin = 0; begin < columns;) {
        const auto value = value_at(begin);
        std::size_t end = begin + 1;
        while (end < columns && value_at(end) == value) ++end;
        draw(begin, end, value);
        begin = end;
    }
}

template <typename Draw>
void for_each_run(std::span<const ValueSpan> columns, Draw draw) {
    for_each_run(
        columns.size(), [&](std::size_t column) { return columns[column]; }, draw);
}

}  // namespace snapviewer
