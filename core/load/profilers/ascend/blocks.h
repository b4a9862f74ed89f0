#pragma once

#include <cstdint>
#include <vector>

#include "core/base/hash.h"
#include "core/load/profilers/ascend/records.h"
#include "core/trace/snapshot.h"

namespace snapviewer::profilers::ascend {

/// Memory that the blocks do not account for. It was allocated before the profile began, so it can only shrink.
struct Baseline {
    struct Fall {
        std::int64_t time_ns = 0;
        std::int64_t size_bytes = 0;
    };
    std::vector<Fall> falls;  ///< Drops of the baseline, sorted by time. Each drop is a block that was freed.
    std::int64_t rest_bytes = 0;
    /// largest difference between the recorded totals and the sum of baseline and blocks
    std::int64_t largest_mismatch_bytes = 0;
    std::int64_t mismatch_ns = k_no_ns;  ///< time of the largest mismatch
};

/// Computes the baseline from the totals of PTA: totalActive minus the blocks active at that time. It must neither rise nor
/// be negative; violations count as mismatches. `blocks` must be sorted by alloc_ns. O(n log n).
Baseline find_baseline(const std::vector<BlockRow>& blocks, const std::vector<TotalsRow>& totals);

/// A device of a snapshot, and the table rows of its allocations.
struct BuiltDevice {
    DeviceTrace trace;
    /// Row of each allocation, parallel to trace.allocations; 0 for derived allocations, which have no row.
    std::vector<std::int64_t> row_ids;
};

/// Builds the allocations of a device. Those of the baseline lie at the bottom, longest-lived lowest; the blocks follow,
/// sorted by start. Each block gets a one-frame stack (its operation) and a category (its component). Consumes `blocks`.
class DeviceBuilder {
public:
    explicit DeviceBuilder(Snapshot& snapshot, const Texts& texts) : snapshot_(snapshot), texts_(texts) {}
    BuiltDevice build(std::int32_t device, std::vector<BlockRow> blocks, const Baseline& baseline);

private:
    StackId stack_of(std::int64_t name);
    std::uint16_t stream_of(const BlockRow& block);
    /// The category of each block, which is its component.
    std::vector<MetadataId> categories_of(const std::vector<BlockRow>& blocks);

    Snapshot& snapshot_;
    const Texts& texts_;
    std::unordered_map<std::int64_t, StackId, KeyedHash> stacks_;
    std::unordered_map<std::uint64_t, std::uint16_t, KeyedHash> streams_;
};

}  // namespace snapviewer::profilers::ascend
