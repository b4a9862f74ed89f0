#include "app/overlay_choice.h"

#include <algorithm>

namespace snapviewer {
namespace {

using Kind = OverlayItem::Kind;

/// The first curve whose name ends so. Without its first letter a word is found in both "reserved" and "Operators Reserved".
const Curve* find_curve(const Overlays& overlays, std::string_view ending) {
    const auto found =
        std::ranges::find_if(overlays.curves, [&](const Curve& curve) { return curve.name().ends_with(ending); });
    return found == overlays.curves.end() ? nullptr : &*found;
}

}  // namespace

GapCurves gap_curves(const Overlays& overlays) {
    // What is pending is part of the picture, so the shade begins above it.
    const auto active = std::ranges::find(overlays.curves, "active", &Curve::name);
    const GapCurves gap{active != overlays.curves.end() ? &*active : find_curve(overlays, "llocated"),
                        find_curve(overlays, "eserved")};
    return gap.lower != nullptr && gap.upper != nullptr ? gap : GapCurves{};
}

std::vector<OverlayItem> overlay_items(const Overlays& overlays, const OverlayChoice& choice) {
    std::vector<OverlayItem> items;
    const auto add = [&](Kind kind, std::size_t index, const std::string& name, const std::string& doc, bool by_default) {
        const auto chosen = choice.find(name);
        items.push_back({kind, index, name, doc, chosen == choice.end() ? by_default : chosen->second});
    };
    const Curve* reserved = find_curve(overlays, "eserved");
    // The outline of the allocations tells what is in use, where there are any.
    const Curve* allocated = overlays.has_allocations ? nullptr : find_curve(overlays, "llocated");
    const Curve* active = overlays.has_allocations ? nullptr : find_curve(overlays, "ctive");
    for (std::size_t i = 0; i < overlays.curves.size(); ++i) {
        const Curve& curve = overlays.curves[i];
        add(Kind::curve, i, curve.name(), curve.doc(), &curve == reserved || &curve == allocated || &curve == active);
    }
    if (gap_curves(overlays).lower != nullptr) {
        add(Kind::gap, 0, "gap", "Shades what is reserved but not in use: cached, or lost to fragmentation", true);
    }
    for (std::size_t i = 0; i < overlays.levels.size(); ++i) {
        add(Kind::level, i, overlays.levels[i].name, overlays.levels[i].doc, false);
    }
    if (overlays.has_allocations) {
        add(Kind::peak_line, 0, "peak line", "A line at the largest total of all allocations", true);
    }
    if (!overlays.markers.empty()) {
        add(Kind::markers, 0, "markers", "Flags at the peak, at out of memory, at snapshots and annotations", true);
    }
    if (!overlays.pending.empty()) {
        add(Kind::pending, 0, "pending frees", "Hatches what was freed while its memory still waited for another stream",
            true);
    }
    return items;
}

double shown_top_bytes(const Overlays& overlays, const OverlayChoice& choice) {
    double top = 0;
    for (const OverlayItem& item : overlay_items(overlays, choice)) {
        if (!item.is_shown) continue;
        if (item.kind == Kind::curve) top = std::max(top, overlays.curves[item.index].highest());
        if (item.kind == Kind::level) top = std::max(top, overlays.levels[item.index].bytes);
    }
    return top;
}

}  // namespace snapviewer
