#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// Factor by which one notch of the wheel scales the visible range.
inline constexpr double k_zoom_per_notch = 0.85;

/// Right edge of the picture: steps, or microseconds since the left edge.
double axis_end(const Timeline& timeline, Axis axis);
double place_of_tick(const Timeline& timeline, Axis axis, std::uint32_t tick);
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

}  // namespace snapviewer
