#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/features/overlay_choice.h"
#include "app/features/requests.h"
#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"
#include "app/ui/tooltip.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

struct OverlayScene {
    const Timeline& timeline;
    const Overlays& overlays;
    const std::vector<OverlayItem>& items;
    Axis axis = Axis::steps;
};

/// Height of the row that draw_overlay_legend draws.
float overlay_legend_height();

/// A row with a box for every item, as far as there is room; the rest is in a menu at its end. Draws from `pos`, at most
/// `width` wide. Without requests it only tells what is drawn.
void draw_overlay_legend(const std::vector<OverlayItem>& items, ImVec2 pos, float width, Requests* requests);

/// The colour of a curve, a level or a kind of marker.
ImU32 overlay_colour(const OverlayItem& item);
ImU32 curve_colour(std::size_t index);

/// The gap, curves, levels and flags that are shown, over the picture. Sends a few hundred rectangles at most for each.
void draw_overlays(ImDrawList* list, const Projection& projection, const OverlayScene& scene, OverlayState& state);

/// The marker whose flag is under the mouse.
std::optional<std::size_t> marker_under(const Projection& projection, const OverlayScene& scene, ImVec2 mouse);

/// The tooltip of a marker.
std::vector<TooltipLine> marker_words(const OverlayScene& scene, const Marker& marker, const MarkerFacts& facts);

/// Name and value at a place of every curve that is shown.
std::vector<TooltipLine> curve_words(const OverlayScene& scene, double x);

}  // namespace snapviewer
