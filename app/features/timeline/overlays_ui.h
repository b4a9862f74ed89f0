#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "app/features/requests.h"
#include "app/features/timeline/overlay_items.h"
#include "app/features/timeline/state.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/tooltip.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

struct TimelineScene;

/// Height of the row that draw_overlay_legend() draws.
float overlay_legend_height();

/// Draws a row with a toggle for every item, as far as they fit; the rest is in a menu at its end. The row starts at `pos`
/// and is at most `width` wide. If `requests` is null, the row is only a legend without toggles.
void draw_overlay_legend(const std::vector<OverlayItem>& items, ImVec2 pos, float width, Requests* requests);

ImU32 curve_colour(std::size_t index);

/// Fills each column between its two rows, a pair of top and bottom. Neighbouring columns with equal rows are one rectangle.
template <typename Rows>
void fill_columns(ImDrawList* list, const Projection& projection, std::size_t count, Rows rows_at, ImU32 colour,
                  float column_px = 1) {
    for_each_run(count, rows_at, [&](std::size_t begin, std::size_t end, const std::pair<float, float>& rows) {
        if (rows.second > rows.first)
            list->AddRectFilled({projection.min.x + column_px * static_cast<float>(begin), rows.first},
                                {projection.min.x + column_px * static_cast<float>(end), rows.second}, colour);
    });
}

/// Draws the visible overlays over the picture: the gap, curves, levels and flags. Issues at most a few hundred rectangles
/// each.
void draw_overlays(ImDrawList* list, const Projection& projection, const TimelineScene& scene, OverlayState& state);

/// Returns the marker whose flag is under the mouse.
std::optional<std::size_t> marker_under(const Projection& projection, const TimelineScene& scene, ImVec2 mouse);

/// Returns the tooltip of a marker.
std::vector<TooltipLine> marker_words(const TimelineScene& scene, const Marker& marker, const MarkerFacts& facts);

/// Returns the name of every visible curve and its value at `x`.
std::vector<TooltipLine> curve_words(const TimelineScene& scene, double x);

}  // namespace snapviewer
