#pragma once

#include <glm/vec2.hpp>

#include "app/ui/screen_point.h"
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

private:
    glm::dvec2 min_px() const { return {min.x, min.y}; }
    glm::dvec2 size_px() const { return glm::dvec2(max.x, max.y) - min_px(); }
};

}  // namespace snapviewer
