#pragma once

#include <imgui.h>

#include "app/features/timeline/timeline_axis.h"
#include "core/base/context.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// The draw list, axis and vertical range for drawing one lane of tracks.
struct TrackLane {
    ImDrawList* list;
    const Projection& canvas;  ///< projection of the picture; only its x axis is used
    Axis axis;
    float top, bottom;

    float px(double x) const { return canvas.column_of(x, 4); }
};

/// Draws the curves of a track, each in its own shape, with one common scale that fills the lane.
void draw_track_curves(const TrackLane& lane, const CurveTrack& track, CurveSamples& samples);

/// Draws the value range of the lane below its name, such as "2.4 GiB/s"; the lower end is included if it is not 0.
void draw_track_range(const TrackLane& lane, const CurveTrack& track, float left, float right);

/// Returns the colour of a curve. The edges of a ribbon have the colour of the curve inside it.
ImU32 track_curve_colour(const CurveTrack& track, std::size_t index);

/// Draws the totals found so far as the next item of the current window, filling `fraction` of its width. Draws nothing and
/// takes no space if there are no totals yet.
void draw_totals_curve(const TotalsPreview& totals, float fraction, ImVec2 size);

}  // namespace snapviewer
