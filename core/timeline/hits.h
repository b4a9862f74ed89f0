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

/// What a search found, one after the other in drawing order.
class Hits {
public:
    Hits() = default;
    /// O(allocations), and sorting the hits where they do not begin in drawing order.
    Hits(const Timeline& timeline, const Emphasis& emphasis);

    std::size_t size() const { return by_id_.size(); }
    /// From 0 on; nullopt for what is none of them.
    std::optional<std::size_t> place_of(AllocationId id) const;

    /// The columns of a picture in which a hit begins that is lower or narrower than a few pixels and so hard to see or not
    /// seen at all; column 0 also for those that began before it. In rising order. Of the timeline it was made of. Time in
    /// proportion to the columns, and to what can be seen.
    std::vector<std::uint32_t> columns_of_small(const Timeline& timeline, Axis axis, const View& view,
                                                const PictureSize& size) const;

private:
    std::span<const AllocationId> by_start() const { return by_start_.empty() ? by_id_ : by_start_; }

    std::vector<AllocationId> by_id_;
    std::vector<AllocationId> by_start_;  ///< where that is another order
};

/// Where an allocation begins, and how far it reaches from there.
struct HitPlace {
    double x_begin = 0, x_end = 0;  ///< steps or microseconds
    double low_bytes = 0;           ///< its lower edge where it begins
    double size_bytes = 0;
};

/// A view as near as it takes to see a hit: unchanged along an axis on which it is well seen. `view` shows it already, too
/// small or not.
View nearer_to_hit(const View& view, const HitPlace& hit, const PictureSize& size, const ViewLimits& limits);

}  // namespace snapviewer
