#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace snapviewer {

/// The visible part of the picture: x in steps or in microseconds since the left edge, y in bytes.
struct View {
    double x_begin = 0, x_end = 1;
    double y_begin = 0, y_end = 1;

    double width() const { return x_end - x_begin; }
    double height() const { return y_end - y_begin; }
    bool operator==(const View&) const = default;
};

/// Size of a picture on the screen.
struct PictureSize {
    double width_px = 0, height_px = 0;
};

/// The size of the picture and the limits of zooming. The picture begins at (0, 0).
struct ViewLimits {
    double x_end = 1;        ///< width of the picture in steps or microseconds
    double y_end = 1;        ///< height of the picture in bytes: the peak
    double min_width = 4;    ///< smallest x range of a view
    double min_height = 64;  ///< smallest y range of a view
};

/// A view of the entire picture with a small margin above the peak.
View fit_view(const ViewLimits& limits);

/// Zooms by a factor per axis (below 1 zooms in). The point (x, y) keeps its position on the screen as far as the limits
/// allow: a view is never smaller than the minimum, never larger than a few times the picture, and always contains a part of
/// the picture.
View zoom_view(const View& view, double x, double y, double factor_x, double factor_y, const ViewLimits& limits);

/// The view nearest to a wanted one: its size is limited, its centre is about the same, and it contains a part of the
/// picture.
View allowed_view(const View& wanted, const ViewLimits& limits);

/// Moves the view by (dx, dy) in axis units. A part of the picture always stays visible.
View pan_view(const View& view, double dx, double dy, const ViewLimits& limits);

/// Moves a view so that it contains a rectangle. Along an axis on which the view already contains it, nothing changes.
/// Otherwise the rectangle is centred, and the view zooms out only if the rectangle does not fit.
View reveal_in_view(const View& view, const View& target, const ViewLimits& limits);

/// A tick mark on an axis and its label. All labels of one axis are different.
struct AxisTick {
    double value = 0;
    std::string label;
};

/// Tick marks at round numbers of bytes within [begin, end]: powers of two times 1, 2, 4, ... of a binary unit. There is
/// about one per `spacing_px` of `length_px`. Labels have as many decimals as it takes to make them different.
std::vector<AxisTick> memory_ticks(double begin, double end, double length_px, double spacing_px);

/// Tick marks at round numbers of steps (1, 2, 5 x 10^n).
std::vector<AxisTick> step_ticks(double begin, double end, double length_px, double spacing_px);

/// Tick marks at round durations since the left edge; `begin` and `end` are in microseconds.
std::vector<AxisTick> time_ticks(double begin, double end, double length_px, double spacing_px);

/// Tick marks at round times of day (UTC), labelled "23:57:04.125". `start_us` is the wall clock time at position 0, in
/// microseconds since the Unix epoch.
std::vector<AxisTick> clock_ticks(double begin, double end, std::int64_t start_us, double length_px, double spacing_px);

}  // namespace snapviewer
