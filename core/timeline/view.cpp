#include "core/timeline/view.h"

#include <algorithm>
#include <numeric>

namespace snapviewer {
namespace {

constexpr double k_air_above_peak = 0.05;
constexpr double k_widest_view = 1.5;       // largest view, as a multiple of the picture
constexpr double k_least_coverage = 0.1;    // smallest share of the view that the picture covers
constexpr double k_largest_revealed = 0.8;  // largest share of the view that a revealed rectangle covers

struct AxisRange {
    double begin = 0;
    double end = 1;

    double length() const { return end - begin; }
};

/// The limits of one axis.
struct RangeLimits {
    double picture = 1;
    double shortest = 1;

    double longest() const { return std::max(picture * k_widest_view, shortest); }
};

/// Shifts a range by the smallest distance that keeps the picture in the view.
AxisRange keep_in_reach(const AxisRange& range, const RangeLimits& limits) {
    const double length = range.length();
    const double covered = std::min(length * k_least_coverage, limits.picture);
    const double begin = std::clamp(range.begin, covered - length, limits.picture - covered);
    return begin == range.begin ? range : AxisRange{begin, begin + length};
}

AxisRange zoom_range(const AxisRange& range, double fixed, double factor, const RangeLimits& limits) {
    const double length = range.length();
    // Limits the factor and not the result, so that the fixed point keeps its position.
    const double wanted = std::clamp(length * factor, std::min(limits.shortest, length), std::max(limits.longest(), length));
    const double allowed = wanted / length;
    if (allowed == 1.0) return range;
    return keep_in_reach({fixed - (fixed - range.begin) * allowed, fixed + (range.end - fixed) * allowed}, limits);
}

AxisRange allowed_range(const AxisRange& wanted, const RangeLimits& limits) {
    const double length = std::clamp(wanted.length(), limits.shortest, limits.longest());
    if (length == wanted.length()) return keep_in_reach(wanted, limits);
    const double begin = std::clamp(std::midpoint(wanted.begin, wanted.end), 0.0, limits.picture) - length / 2;
    return keep_in_reach({begin, begin + length}, limits);
}

AxisRange reveal_range(const AxisRange& range, const AxisRange& target, const RangeLimits& limits) {
    if (target.begin >= range.begin && target.end <= range.end) return range;
    const double length = std::max(range.length(), std::min(target.length() / k_largest_revealed, limits.longest()));
    const double begin = target.begin + (target.length() - length) / 2;
    return keep_in_reach({begin, begin + length}, limits);
}

AxisRange x_range(const View& view) { return {view.x_begin, view.x_end}; }
AxisRange y_range(const View& view) { return {view.y_begin, view.y_end}; }
RangeLimits x_limits(const ViewLimits& limits) { return {limits.x_end, limits.min_width}; }
RangeLimits y_limits(const ViewLimits& limits) { return {limits.y_end, limits.min_height}; }
View make_view(const AxisRange& x, const AxisRange& y) { return {x.begin, x.end, y.begin, y.end}; }

}  // namespace

View fit_view(const ViewLimits& limits) {
    return {0, std::max(limits.x_end, limits.min_width), 0,
            std::max(limits.y_end * (1 + k_air_above_peak), limits.min_height)};
}

View zoom_view(const View& view, double x, double y, double factor_x, double factor_y, const ViewLimits& limits) {
    return make_view(zoom_range(x_range(view), x, factor_x, x_limits(limits)),
                     zoom_range(y_range(view), y, factor_y, y_limits(limits)));
}

View allowed_view(const View& wanted, const ViewLimits& limits) {
    return make_view(allowed_range(x_range(wanted), x_limits(limits)), allowed_range(y_range(wanted), y_limits(limits)));
}

View pan_view(const View& view, double dx, double dy, const ViewLimits& limits) {
    return make_view(keep_in_reach({view.x_begin + dx, view.x_end + dx}, x_limits(limits)),
                     keep_in_reach({view.y_begin + dy, view.y_end + dy}, y_limits(limits)));
}

View reveal_in_view(const View& view, const View& target, const ViewLimits& limits) {
    return make_view(reveal_range(x_range(view), x_range(target), x_limits(limits)),
                     reveal_range(y_range(view), y_range(target), y_limits(limits)));
}

}  // namespace snapviewer
