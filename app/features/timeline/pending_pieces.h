#pragma once

#include <optional>
#include <vector>

#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// A part of the picture, level or sliding down: steps or microseconds, and bytes.
struct PendingPiece {
    double x_begin = 0, x_end = 0;
    double low_bytes = 0;      ///< lower edge at x_begin
    double end_low_bytes = 0;  ///< lower edge at x_end, never above
    double size_bytes = 0;     ///< height
    bool operator==(const PendingPiece&) const = default;
};

/// Where allocations lie while they are freed, but wait for another stream: level stretches and the slides between them.
/// Only what is in view, at least `least_width` wide, and no more than a few hundred. Milliseconds.
std::vector<PendingPiece> pending_pieces(const Timeline& timeline, const std::vector<PendingFree>& pending, Axis axis,
                                         const View& view, double least_width);

/// The same, worked out anew only when the view or the axis changes.
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
