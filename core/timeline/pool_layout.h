#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer::pool_detail {

/// Polygons that are pushed, moved and closed, with the actions and steps that go with them.
class Polygons {
public:
    /// Begins a polygon at a step and returns its number. The columns are copied from `from`.
    std::uint32_t begin(const AllocationColumns& from, std::uint32_t row, std::uint64_t step, std::uint64_t offset_bytes);
    /// The same for memory that nothing uses.
    std::uint32_t begin_unused(std::uint16_t pool, std::uint16_t stream, std::uint64_t size_bytes, std::uint64_t step,
                               std::uint64_t offset_bytes);
    void end(std::uint32_t polygon, std::uint64_t step);
    /// Slides from a step on, over the three that follow.
    void slide(std::uint32_t polygon, std::uint64_t step, std::int64_t by_bytes);

    std::uint64_t size_bytes(std::uint32_t polygon) const { return allocations_.size_bytes[polygon]; }
    std::uint64_t point_count() const { return point_count_; }
    /// From here on beginnings are actions; what was begun before stands at the left edge.
    void start_actions() { initial_count_ = static_cast<std::uint32_t>(paths_.size()); }
    /// Closes what is open at the right edge and hands everything over. Call once.
    void write(DeviceTrace& trace, std::uint64_t end_step);

private:
    std::uint32_t place(std::uint64_t step, std::uint64_t offset_bytes);

    AllocationColumns allocations_;
    std::vector<std::vector<PathPoint>> paths_;
    std::vector<bool> ended_;
    std::vector<AllocationId> actions_;
    std::vector<std::uint64_t> action_steps_;
    std::uint32_t initial_count_ = 0xFFFFFFFF;
    std::uint64_t point_count_ = 0;
};

/// A private pool's place in the stack: live blocks at the bottom, unused memory above them.
struct Envelope {
    struct Unused {
        static constexpr std::uint32_t k_not_drawn = 0xFFFFFFFF;
        std::uint64_t size_bytes = 0;
        std::uint32_t polygon = k_not_drawn;
    };

    std::uint16_t pool = k_no_pool;
    std::uint16_t stream = 0;
    std::int64_t reserved_bytes = 0;
    std::uint64_t active_bytes = 0;
    std::uint64_t size_bytes = 0;        ///< never shrinks
    std::uint64_t offset_bytes = 0;      ///< of its bottom
    bool is_placed = false;              ///< stands in the stack since its first block
    std::uint32_t place = 0;             ///< in the stack
    std::vector<std::uint32_t> stripes;  ///< polygons of live blocks, bottom to top
    std::deque<Unused> unused;           ///< bottom to top

    /// What it has to hold, with so much more in use.
    std::uint64_t wanted_bytes(std::uint64_t more_bytes) const;
    /// Takes so much from the bottom of what is unused.
    void use(std::uint64_t size, std::uint64_t step, Polygons& polygons);
    /// Draws what is unused and not drawn yet.
    void draw_unused(std::uint64_t step, Polygons& polygons);
    void slide(std::uint64_t step, std::int64_t by_bytes, Polygons& polygons);
};

}  // namespace snapviewer::pool_detail
