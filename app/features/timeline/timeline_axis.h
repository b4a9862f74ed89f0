#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// What one notch of the wheel leaves of the extent in view.
inline constexpr double k_zoom_per_notch = 0.85;

/// Right edge of the picture: steps, or microseconds since the left edge.
double axis_end(const Timeline& timeline, Axis axis);
double place_of_tick(const Timeline& timeline, Axis axis, std::uint32_t tick);
/// `top_bytes`: how far up what lies over the allocations reaches.
ViewLimits view_limits(const Timeline& timeline, Axis axis, double top_bytes = 0);

/// Why there is no time axis, as a sentence. Only without Timeline::has_times().
const char* why_no_times(const Timeline& timeline);
/// What a picture opens with: steps, unless only its times were made for it.
Axis default_axis(const Timeline& timeline);
/// What an axis counts, where that is not the usual; empty otherwise.
const std::string& axis_title(const Timeline& timeline, Axis axis);

/// "device 0"; what the axis counts where the file knows no device, as reports of one model: "operation order (not time)".
std::string picture_name(const Timeline& timeline, Axis axis);

/// The same part of the picture on the other axis.
View change_axis(const Timeline& timeline, const View& view, Axis from, Axis to);

/// The stretch of time that `view` of `from` shows, in the whole height of `to`. None where that is all of `from`, where the
/// two have no clock in common, or where nothing of `to` lies in it.
std::optional<View> same_moments(const Timeline& from, const View& view, const Timeline& to, Axis axis);

/// "step 12,345", or "12.3 ms".
std::string place_text(Axis axis, double x);
/// "step 1,234", or what the steps of this file are instead: "operation order (not time) 1,234".
std::string step_text(const Timeline& timeline, double step);
/// The same with what the other clocks say: "step 12,345  ·  12.3 ms", "12.3 ms  ·  2026-11-20 23:57:04.123456 UTC".
std::string moment_text(const Timeline& timeline, Axis axis, double x);

/// The polygon of one allocation: its lower edge as points from left to right, and its height.
struct Outline {
    AllocationId id;
    std::vector<double> x;  ///< steps or microseconds, as the axis it was made for
    std::vector<double> low_bytes;
    double size_bytes = 0;
    bool is_empty() const { return x.empty(); }
};

/// O(ticks of the allocation's life).
Outline make_outline(const Timeline& timeline, Axis axis, AllocationId id);

/// The points of an outline that are worth drawing where a pixel is so many steps or microseconds wide: of those in view
/// within one such width of each other the first, the lowest, the highest and the last, and one beyond either side.
std::vector<std::size_t> visible_points(const Outline& outline, const View& view, double pixel_width);

/// The smallest view that holds all of it.
View bounds(const Outline& outline);

/// `target` with air on all sides, within the limits: what "zoom to selection" shows.
View frame_view(const View& target, const ViewLimits& limits);

/// Everything that is live at the peak, with some context to both sides, as far as the recording reaches.
View peak_view(const Timeline& timeline, Axis axis);

/// A place brought into the middle, or as near to it as leaves nothing but the recording in view, at the zoom of `view`;
/// unchanged where it is well in view.
View centre_view(const View& view, double x, const ViewLimits& limits);

}  // namespace snapviewer
