#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/timeline/holes.h"
#include "core/timeline/markers.h"
#include "core/timeline/pending.h"
#include "core/timeline/timeline.h"
#include "core/trace/ranges.h"
#include "core/trace/reserved.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// What tables show beyond the columns of a snapshot, worked out when one of them is first asked. For one thread at a time.
class DerivedRows {
public:
    DerivedRows(std::shared_ptr<const Snapshot> snapshot, std::vector<std::shared_ptr<const Timeline>> timelines);

    struct MarkerRow {
        std::size_t device_index = 0;
        Marker marker;
    };
    const std::vector<MarkerRow>& markers();
    /// In bytes, of a device; nothing where the file does not tell.
    std::optional<std::int64_t> capacity(std::size_t device_index);

    struct RangeRow {
        AnnotationRange range;
        std::optional<std::int64_t> start_step;  ///< of the next alloc or free; nothing without times
        std::optional<std::int64_t> end_step;
    };
    const std::vector<RangeRow>& ranges();

    struct PendingRow {
        std::size_t device_index = 0;
        PendingSpan span;
    };
    const std::vector<PendingRow>& pending();

    /// By device index and tick; nothing where the file does not tell.
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

    /// What was allocated with a stack, on all devices, as far as the stack is that of the allocation.
    struct StackUse {
        std::int64_t count = 0;
        std::uint64_t bytes = 0;
        std::uint64_t largest_bytes = 0;
    };
    const StackUse& use_of(StackId stack);

private:
    void find_landmarks_of_all();
    void find_holes();
    const std::optional<ReservedHistory>& reserved_of(std::size_t device_index);

    std::shared_ptr<const Snapshot> snapshot_;
    std::vector<std::shared_ptr<const Timeline>> timelines_;
    std::vector<std::optional<std::optional<ReservedHistory>>> reserved_;
    std::optional<std::vector<MarkerRow>> markers_;
    std::vector<std::optional<std::int64_t>> capacities_;
    std::optional<std::vector<RangeRow>> ranges_;
    std::optional<std::vector<PendingRow>> pending_;
    std::optional<std::vector<Holes>> holes_;
    std::optional<std::vector<PoolRow>> pools_;
    std::optional<StackLines> stack_lines_;
    std::vector<StackUse> stack_uses_;  ///< by stack; empty until one is asked for
};

}  // namespace snapviewer
