#pragma once

namespace snapviewer {

/// The part of the picture that is on the screen: x in steps or in microseconds since the left edge, y in bytes.
struct View {
    double x_begin = 0, x_end = 1;
    double y_begin = 0, y_end = 1;

    double width() const { return x_end - x_begin; }
    double height() const { return y_end - y_begin; }
    bool operator==(const View&) const = default;
};

/// How large the picture is and how near one may come. The picture begins at (0, 0).
struct ViewLimits {
    double x_end = 1;        ///< steps or microseconds
    double y_end = 1;        ///< bytes, the peak
    double min_width = 4;    ///< smallest x range that may fill the window
    double min_height = 64;  ///< smallest y range that may fill the window
};

/// All of the picture with a little air above the peak.
View fit_view(const ViewLimits& limits);

/// Zooms by a factor per axis (below 1 comes nearer) so that the point (x, y) keeps its place on the screen, as far as the
/// limits allow: never nearer than the minimum, never wider than a few times the picture, never away from it.
View zoom_view(const View& view, double x, double y, double factor_x, double factor_y, const ViewLimits& limits);

/// The part of the picture that is nearest to a wanted one: as large as the limits allow, about the same middle, with some
/// of the picture in it.
View allowed_view(const View& wanted, const ViewLimits& limits);

/// Moves by (dx, dy) in axis units; some of the picture always stays visible.
View pan_view(const View& view, double dx, double dy, const ViewLimits& limits);

/// Brings a rectangle into view: unchanged if it is well visible already, otherwise centred, zoomed out only if it must be.
View reveal_in_view(const View& view, const View& target, const ViewLimits& limits);

}  // namespace snapviewer
