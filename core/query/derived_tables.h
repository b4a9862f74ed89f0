#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/timeline/idle_memory.h"
#include "core/timeline/markers.h"
#include "core/timeline/timeline.h"
#include "core/trace/annotations.h"
#include "core/trace/segments.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// Rows of tables that have to be computed from a snapshot and its timelines. Each kind of row is computed on first use and
/// cached. Not thread-safe.
class DerivedRows {
public:
    DerivedRows(std::shared_ptr<const Snapshot> snapshot, std::vector<std::shared_ptr<const Timeline>> timelines);

    struct MarkerRow {
        std::size_t device_index = 0;
        Marker marker;
    };
    const std::vector<MarkerRow>& markers();
    /// Capacity of a device in bytes, or nullopt if the file does not contain it.
    std::optional<std::int64_t> capacity(std::size_t device_index);

    struct RangeRow : AnnotationRange {
        std::optional<std::int64_t> start_step;  ///< Step of the next alloc or free; nullopt if the events have no times
        std::optional<std::int64_t> end_step;
    };
    const std::vector<RangeRow>& ranges();

    struct PendingRow : PendingSpan {
        std::size_t device_index = 0;
        EventId completion;  ///< none() if it was never completed
    };
    const std::vector<PendingRow>& pending();

    /// Reserved bytes of a device at a tick, or nullopt if the file does not contain them.
    std::optional<std::int64_t> reserved(std::size_t device_index, std::uint32_t tick);

    const Holes& segment_holes(std::size_t segment);

    struct PoolRow {
        std::int32_t device = 0;
        std::uint16_t pool = k_no_pool;
        std::uint64_t segments = 0;
        std::uint64_t reserved_bytes = 0;
        std::uint64_t allocated_bytes = 0;
        std::uint64_t active_bytes = 0;
        Holes holes;
    };
    const std::vector<PoolRow>& pools();

    const StackLines& stack_lines();

    /// Totals of the allocations made with one stack, on all devices. Excludes allocations whose recorded stack is the stack
    /// of the free (Origin::freed).
    struct StackUse {
        std::int64_t count = 0;
        std::uint64_t bytes = 0;
        std::uint64_t largest_bytes = 0;
    };
    const StackUse& use_of(StackId stack);

private:
    void find_landmarks_of_all();
    const std::optional<ReservedHistory>& reserved_of(std::size_t device_index);

    std::shared_ptr<const Snapshot> snapshot_;
    std::vector<std::shared_ptr<const Timeline>> timelines_;
    std::vector<std::optional<std::optional<ReservedHistory>>> reserved_;
    std::optional<std::vector<MarkerRow>> markers_;
    std::vector<std::optional<std::int64_t>> capacities_;
    std::optional<std::vector<RangeRow>> ranges_;
    std::optional<std::vector<PendingRow>> pending_;
    std::vector<Holes> holes_;  ///< Holes of each segment; empty until segment_holes() is first called
    std::optional<std::vector<PoolRow>> pools_;
    std::optional<StackLines> stack_lines_;
    std::vector<StackUse> stack_uses_;  ///< Indexed by StackId; empty until use_of() is first called
};

}  // namespace snapviewer
