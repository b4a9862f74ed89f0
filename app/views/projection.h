#pragma once

#include <imgui.h>

#include "core/timeline/view.h"

namespace snapviewer {

/// Where on the screen a view is shown: window pixels, y downwards.
struct Projection {
    View view;
    ImVec2 min, max;

    double width_px() const { return static_cast<double>(max.x) - static_cast<double>(min.x); }
    double height_px() const { return static_cast<double>(max.y) - static_cast<double>(min.y); }
    double x_at(float px) const {
        return view.x_begin + (static_cast<double>(px) - static_cast<double>(min.x)) / width_px() * view.width();
    }
    double y_at(float px) const {
        return view.y_end - (static_cast<double>(px) - static_cast<double>(min.y)) / height_px() * view.height();
    }
    double px_of_x(double x) const { return static_cast<double>(min.x) + (x - view.x_begin) / view.width() * width_px(); }
    double px_of_y(double y) const { return static_cast<double>(min.y) + (view.y_end - y) / view.height() * height_px(); }
};

}  // namespace snapviewer
