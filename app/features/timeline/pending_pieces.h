#pragma once

#include <optional>
#include <vector>

#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// A part of an allocation's area in the picture, level or sliding down. x is in steps or microseconds, y in bytes.
struct PendingPiece {
    double x_begin = 0, x_end = 0;
    double low_bytes = 0;      ///< lower edge at `x_begin`
    double end_low_bytes = 0;  ///< lower edge at `x_end`; never above `low_bytes`
    double size_bytes = 0;     ///< height in bytes
    bool operator==(const PendingPiece&) const = default;
};

/// Returns the areas of allocations that were freed but still wait for another stream, split into level parts and slides.
/// Only parts in view, only of frees that are at least `least_width` long, and at most a few hundred. Takes milliseconds.
std::vector<PendingPiece> pending_pieces(const Timeline& timeline, const std::vector<PendingFree>& pending, Axis axis,
                                         const View& view, double least_width);

/// Caches pending_pieces(); recomputes them only when the view, the axis or `least_width` changes.
class PendingCache {
public:
    const std::vector<PendingPiece>& of(const Timeline& timeline, const std::vector<PendingFree>& pending, Axis axis,
                                        const View& view, double least_width);

private:
    struct Key {
        Axis axis;
        View view;
        double least_width;
        bool operator==(const Key&) const = default;
    };
    std::optional<Key> key_;
    std::vector<PendingPiece> pieces_;
};

}  // namespace snapviewer
