#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// Size of a picture on the screen.
struct PictureSize {
    double width_px = 0;
    double height_px = 0;
};

/// The allocations that a search found, in drawing order.
class Hits {
public:
    Hits() = default;
    /// O(allocations), plus sorting the hits if drawing order is not the order in which they begin.
    Hits(const Timeline& timeline, const Emphasis& emphasis);

    std::size_t size() const { return by_id_.size(); }
    /// The index of an allocation among the hits; nullopt if it is not a hit.
    std::optional<std::size_t> place_of(AllocationId id) const;

    /// The pixel columns, ascending, in which a small hit begins. A hit is small if it is lower or narrower than a few
    /// pixels, and therefore hard to see. Column 0 also represents small hits that began to the left of the view. `timeline`
    /// must be the one passed to the constructor. The time is in proportion to the number of columns and of visible hits.
    std::vector<std::uint32_t> columns_of_small(const Timeline& timeline, Axis axis, const View& view,
                                                const PictureSize& size) const;

private:
    std::span<const AllocationId> by_start() const { return by_start_.empty() ? by_id_ : by_start_; }

    std::vector<AllocationId> by_id_;
    std::vector<AllocationId> by_start_;  ///< hits by start; empty if that is the order of by_id_
};

/// The rectangle of an allocation at its beginning.
struct HitPlace {
    double x_begin = 0, x_end = 0;  ///< start and end in steps or microseconds
    double low_bytes = 0;           ///< lower edge at the beginning
    double size_bytes = 0;
};

/// Returns a view that is zoomed in enough to see a hit. An axis on which the hit is large enough keeps its range.
/// Precondition: `view` already contains the hit.
View nearer_to_hit(const View& view, const HitPlace& hit, const PictureSize& size, const ViewLimits& limits);

}  // namespace snapviewer
