#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/timeline/overlays.h"

namespace snapviewer {

/// What was switched on or off by hand, by OverlayItem::id. Remembered in the settings; what is not in it shows by default
/// or not.
using OverlayChoice = std::map<std::string, bool, std::less<>>;

/// One thing over the allocations that can be switched.
struct OverlayItem {
    enum class Kind { curve, gap, level, peak_line, markers, pending };
    Kind kind = Kind::curve;
    std::size_t index = 0;  ///< of the curve or level
    std::string id;         ///< the key in an OverlayChoice
    std::string name;       ///< what the legend says
    std::string doc;        ///< a sentence for the tooltip
    bool is_shown = false;
    CurveRole role = CurveRole::other;  ///< of a curve
    bool is_stacked = false;            ///< a curve that is an area on top of those before it
};

/// Everything of one device that can be switched, in the order of the legend.
std::vector<OverlayItem> overlay_items(const Overlays& overlays, const OverlayChoice& choice);

/// The two curves between which lies what is reserved and not in use; null where the file does not tell.
struct GapCurves {
    const Curve* lower = nullptr;
    const Curve* upper = nullptr;
};
GapCurves gap_curves(const Overlays& overlays);

/// Whether there is anything of a track to draw below the picture; and of any.
bool has_content(const BandTrack& track);
bool has_content(const CurveTrack& track);
bool has_tracks(const Overlays& overlays);

/// The largest value of what is shown, in bytes: what "all of the picture" must hold besides the allocations.
double shown_top_bytes(const Overlays& overlays, const OverlayChoice& choice);

}  // namespace snapviewer
