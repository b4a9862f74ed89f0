#include "app/bench/walk.h"

#include <fmt/format.h>

#include <cmath>

#include "app/features/timeline/timeline_axis.h"

namespace snapviewer {
namespace {

constexpr int k_zoom_stops = 12;
constexpr int k_one_axis_stops = 4;

/// Plans the stops of the walk. A depth is a zoom level on a logarithmic scale, from the whole picture (0) to the nearest
/// view (1).
class WalkPlanner {
public:
    WalkPlanner(const Timeline& timeline, Axis axis)
        : limits_(view_limits(timeline, axis)),
          fit_(fit_view(limits_)),
          focus_x_(place_of_tick(timeline, axis, timeline.peak_tick())),
          focus_y_(limits_.y_end / 2),
          nearest_x_(std::min(1.0, limits_.min_width / fit_.width())),
          nearest_y_(std::min(1.0, limits_.min_height / fit_.height())) {}

    std::vector<WalkStop> plan() {
        add("fit", 8, [&](double part) { return pan_view(fit_, (part - 0.5) * 0.1 * fit_.width(), 0, limits_); });
        for (int stop = 0; stop < k_zoom_stops; ++stop) {
            add(fmt::format("zoom in {}", stop + 1), 6, [&](double part) { return near((stop + part) / k_zoom_stops); });
        }
        for (const double depth : {1.0, 0.6, 0.3}) {
            const View view = near(depth);
            add(fmt::format("pan at {:.0f} %", 100 * depth), 12,
                [&](double part) { return pan_view(view, 2 * part * view.width(), 0.2 * part * view.height(), limits_); });
        }
        add("zoom out", 18, [&](double part) { return near(1 - part); });
        for (int stop = 0; stop < k_one_axis_stops; ++stop) {
            const auto depth = [stop](double part) { return (stop + part) / k_one_axis_stops; };
            add(fmt::format("zoom x {}", stop + 1), 6, [&](double part) { return zoomed(depth(part), 0); });
            add(fmt::format("zoom y {}", stop + 1), 6, [&](double part) { return zoomed(0, depth(part)); });
        }
        return std::move(stops_);
    }

private:
    /// Adds a stop. `view_at` receives the progress within the stop, above 0 and up to 1.
    template <typename ViewAt>
    void add(std::string name, int frames, ViewAt view_at) {
        WalkStop& stop = stops_.emplace_back(WalkStop{std::move(name), {}});
        for (int frame = 1; frame <= frames; ++frame) stop.views.push_back(view_at(static_cast<double>(frame) / frames));
    }
    View zoomed(double depth_x, double depth_y) const {
        return zoom_view(fit_, focus_x_, focus_y_, std::pow(nearest_x_, depth_x), std::pow(nearest_y_, depth_y), limits_);
    }
    /// Zooms both axes by the same factor, as the mouse wheel does.
    View near(double depth) const {
        const double factor = std::pow(nearest_x_, depth);
        return zoom_view(fit_, focus_x_, focus_y_, factor, factor, limits_);
    }

    ViewLimits limits_;
    View fit_;
    double focus_x_, focus_y_;
    double nearest_x_, nearest_y_;
    std::vector<WalkStop> stops_;
};

}  // namespace

std::vector<WalkStop> benchmark_walk(const Timeline& timeline, Axis axis) { return WalkPlanner(timeline, axis).plan(); }

}  // namespace snapviewer
