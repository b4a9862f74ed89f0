#pragma once

#include <imgui.h>

#include <algorithm>

#include "app/features/timeline/curve_samples.h"
#include "app/features/timeline/projection.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// What one lane of tracks is drawn with.
struct TrackLane {
    ImDrawList* list;
    const Projection& canvas;  ///< only its x axis counts
    Axis axis;
    float top, bottom;

    float px(double x) const {
        const double margin = 4;
        return static_cast<float>(std::clamp(canvas.px_of_x(x), static_cast<double>(canvas.min.x) - margin,
                                             static_cast<double>(canvas.max.x) + margin));
    }
};

/// Draws the curves of a track, each in the shape it asks for, all on one scale that fills the lane.
void draw_track_curves(const TrackLane& lane, const CurveTrack& track, CurveSamples& samples);

/// How high the lane reaches, below its name: "2.4 GiB/s", with the lower end where that is not 0.
void draw_track_range(const TrackLane& lane, const CurveTrack& track, float left, float right);

/// The edges of a ribbon have the colour of the curve in it.
ImU32 track_curve_colour(const CurveTrack& track, std::size_t index);

}  // namespace snapviewer
