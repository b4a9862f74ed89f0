#pragma once

#include <imgui.h>

#include <algorithm>

#include "app/features/timeline/curve_samples.h"
#include "app/features/timeline/projection.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// The draw list, axis and vertical range for drawing one lane of tracks.
struct TrackLane {
    ImDrawList* list;
    const Projection& canvas;  ///< only its x axis is used
    Axis axis;
    float top, bottom;

    float px(double x) const {
        const double margin = 4;
        return static_cast<float>(std::clamp(canvas.px_of_x(x), static_cast<double>(canvas.min.x) - margin,
                                             static_cast<double>(canvas.max.x) + margin));
    }
};

/// Draws the curves of a track, each in its own shape, with one common scale that fills the lane.
void draw_track_curves(const TrackLane& lane, const CurveTrack& track, CurveSamples& samples);

/// Draws the value range of the lane below its name, such as "2.4 GiB/s"; the lower end is included if it is not 0.
void draw_track_range(const TrackLane& lane, const CurveTrack& track, float left, float right);

/// Returns the colour of a curve. The edges of a ribbon have the colour of the curve inside it.
ImU32 track_curve_colour(const CurveTrack& track, std::size_t index);

}  // namespace snapviewer
