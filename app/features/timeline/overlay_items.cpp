#include "app/features/timeline/overlay_items.h"

#include <algorithm>

namespace snapviewer {
namespace {

using Kind = OverlayItem::Kind;

/// The first curve with one of these two roles, or null.
const Curve* find_curve(const Overlays& overlays, CurveRole role, CurveRole other) {
    const auto found = std::ranges::find_if(
        overlays.curves, [&](const Curve& curve) { return curve.role() == role || curve.role() == other; });
    return found == overlays.curves.end() ? nullptr : &*found;
}
const Curve* find_curve(const Overlays& overlays, CurveRole role) { return find_curve(overlays, role, role); }

/// The first curve of reserved memory, either of the allocator or of the whole process, or null.
const Curve* find_reserved(const Overlays& overlays) {
    return find_curve(overlays, CurveRole::reserved, CurveRole::process);
}

}  // namespace

GapCurves gap_curves(const Overlays& overlays) {
    const GapCurves gap{find_curve(overlays, overlays.in_use), find_reserved(overlays)};
    return gap.lower != nullptr && gap.upper != nullptr ? gap : GapCurves{};
}

std::vector<OverlayItem> overlay_items(const Overlays& overlays, const OverlayChoice& choice) {
    std::vector<OverlayItem> items;
    const auto add = [&](Kind kind, std::size_t index, const std::string& id, const std::string& name,
                         const std::string& doc, bool by_default) {
        const auto chosen = choice.find(id);
        items.push_back({kind, index, id, name, doc, chosen == choice.end() ? by_default : chosen->second});
    };
    const Curve* reserved = find_reserved(overlays);
    // If the file has allocations, their outline already shows the memory in use, so the curves of allocated and active
    // memory are off by default.
    const Curve* allocated = overlays.has_allocations ? nullptr : find_curve(overlays, CurveRole::allocated);
    const Curve* active = overlays.has_allocations ? nullptr : find_curve(overlays, CurveRole::active);
    for (std::size_t i = 0; i < overlays.curves.size(); ++i) {
        const Curve& curve = overlays.curves[i];
        add(Kind::curve, i, curve.title().id, curve.name(), curve.doc(),
            &curve == reserved || &curve == allocated || &curve == active || i < overlays.stack_tops.size());
        items.back().role = curve.role();
        items.back().is_stacked = i < overlays.stack_tops.size();
    }
    if (gap_curves(overlays).lower != nullptr) {
        add(Kind::gap, 0, "gap", "gap", "Shades memory that is reserved but not in use: cached, or lost to fragmentation",
            true);
    }
    for (std::size_t i = 0; i < overlays.levels.size(); ++i) {
        add(Kind::level, i, overlays.levels[i].id, overlays.levels[i].name, overlays.levels[i].doc, false);
    }
    if (overlays.has_allocations) {
        add(Kind::peak_line, 0, "peak_line", "peak line", "A line at the largest total of all allocations", true);
    }
    if (!overlays.markers.empty()) {
        add(Kind::markers, 0, "markers", "markers", "Flags at the peak, out of memory, snapshots and annotations", true);
    }
    if (!overlays.pending.empty()) {
        add(Kind::pending, 0, "pending_frees", "pending frees",
            "Hatches memory that was freed but still waited for another stream", true);
    }
    return items;
}

bool has_content(const BandTrack& track) { return !track.bands.empty() || !track.note.empty(); }
bool has_content(const CurveTrack& track) { return !track.curves.empty() || !track.note.empty(); }

bool has_tracks(const Overlays& overlays) {
    const auto is_one = [](const auto& track) { return has_content(track); };
    return std::ranges::any_of(overlays.band_tracks, is_one) || std::ranges::any_of(overlays.curve_tracks, is_one);
}

double shown_top_bytes(const Overlays& overlays, const OverlayChoice& choice) {
    double top = 0;
    for (const OverlayItem& item : overlay_items(overlays, choice)) {
        if (!item.is_shown) continue;
        if (item.kind == Kind::curve)
            top = std::max(top, (item.is_stacked ? overlays.stack_tops : overlays.curves)[item.index].highest());
        if (item.kind == Kind::level) top = std::max(top, overlays.levels[item.index].bytes);
    }
    return top;
}

}  // namespace snapviewer
