#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer::pool_detail {

/// Builds the polygons of a trace, together with its actions and their steps.
class Polygons {
public:
    /// Begins a polygon at a step and returns its index. Copies the columns of its allocation from `row` of `from`.
    std::uint32_t begin(const AllocationColumns& from, std::uint32_t row, std::uint64_t step, std::uint64_t offset_bytes);
    /// Begins a polygon for unused memory of a pool and returns its index.
    std::uint32_t begin_unused(std::uint16_t pool, std::uint16_t stream, std::uint64_t size_bytes, std::uint64_t step,
                               std::uint64_t offset_bytes);
    void end(std::uint32_t polygon, std::uint64_t step);
    /// Moves a polygon by `by_bytes`, gradually over the three steps from `step` on.
    void slide(std::uint32_t polygon, std::uint64_t step, std::int64_t by_bytes);

    std::uint64_t size_bytes(std::uint32_t polygon) const { return allocations_.size_bytes[polygon]; }
    std::uint64_t point_count() const { return point_count_; }
    /// After this call, begin() and begin_unused() add actions. Earlier polygons begin at the left edge.
    void start_actions() { initial_count_ = static_cast<std::uint32_t>(paths_.size()); }
    /// Closes open polygons at the right edge and moves everything into the trace. Call once.
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

/// The area of a private pool in the stack, with live blocks at the bottom and unused memory above them.
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
    std::uint64_t size_bytes = 0;        ///< height of the envelope; never shrinks
    std::uint64_t offset_bytes = 0;      ///< offset of the bottom edge
    bool is_placed = false;              ///< true once the pool has had a block, which puts the envelope into the stack
    std::uint32_t place = 0;             ///< sort key of the envelope in the stack
    std::vector<std::uint32_t> stripes;  ///< polygons of live blocks, bottom to top
    std::deque<Unused> unused;           ///< pieces of unused memory, bottom to top

    /// The size that the envelope needs if `more_bytes` more are active.
    std::uint64_t wanted_bytes(std::uint64_t more_bytes) const;
    /// Removes `size` bytes from the bottom of the unused memory, for a new block.
    void use(std::uint64_t size, std::uint64_t step, Polygons& polygons);
    /// Begins polygons for pieces of unused memory that have none yet.
    void draw_unused(std::uint64_t step, Polygons& polygons);
    void slide(std::uint64_t step, std::int64_t by_bytes, Polygons& polygons);
};

}  // namespace snapviewer::pool_detail
