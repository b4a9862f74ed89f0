#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/features/preferences.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// One overlay above the allocations that the user can switch on and off.
struct OverlayItem {
    enum class Kind { curve, gap, level, peak_line, markers, pending };
    Kind kind = Kind::curve;
    std::size_t index = 0;  ///< index of the curve or level in Overlays
    std::string id;         ///< key of the overlay in an OverlayChoice
    std::string name;       ///< label of the overlay in the legend
    std::string doc;        ///< sentence for the tooltip of the overlay
    bool is_shown = false;
    CurveRole role = CurveRole::other;  ///< role of the curve; unused for other kinds
    bool is_stacked = false;            ///< true for a curve drawn as an area, stacked on top of the previous ones
};

/// All overlays of one device that can be switched, in the order of the legend.
std::vector<OverlayItem> overlay_items(const Overlays& overlays, const OverlayChoice& choice);

/// The two curves that enclose the memory that is reserved but not in use. Both are null if the file has no such curves.
struct GapCurves {
    const Curve* lower = nullptr;
    const Curve* upper = nullptr;
};
GapCurves gap_curves(const Overlays& overlays);

/// True if the track has anything to draw below the timeline.
bool has_content(const BandTrack& track);
bool has_content(const CurveTrack& track);
bool has_tracks(const Overlays& overlays);

/// The largest value of the visible overlays, in bytes. The view of the whole timeline must include it, besides the
/// allocations.
double shown_top_bytes(const Overlays& overlays, const OverlayChoice& choice);

}  // namespace snapviewer
