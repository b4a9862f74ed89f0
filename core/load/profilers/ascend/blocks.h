#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/keyed_hash.h"
#include "core/load/profilers/ascend/records.h"
#include "core/trace/snapshot.h"

namespace snapviewer::ascend {

/// Memory that blocks do not account for: allocated before the profile began, so it can only shrink.
struct Baseline {
    struct Fall {
        std::int64_t time_ns = 0;
        std::int64_t size_bytes = 0;
    };
    std::vector<Fall> falls;  ///< by time; each is one old block that was freed
    std::int64_t rest_bytes = 0;
    std::int64_t largest_mismatch_bytes = 0;  ///< between recorded totals and baseline plus blocks
    std::int64_t mismatch_ns = k_no_ns;       ///< when
};

/// What the totals of PTA say beyond its blocks: totalActive less the blocks that are active at that moment, which must
/// neither rise nor be negative. `blocks` by alloc_ns. O(n log n).
Baseline find_baseline(const std::vector<BlockRow>& blocks, const std::vector<TotalsRow>& totals);

/// A device of a snapshot and the rows that its allocations came from.
struct BuiltDevice {
    DeviceTrace trace;
    std::vector<std::int64_t> row_ids;  ///< parallel to trace.allocations; 0 = from no row
};

/// Makes blocks the allocations of a device: those of the baseline at the bottom, longest-lived lowest, the others by start.
/// Each gets a one-frame stack (its operation) and a category (its component). Blocks are consumed.
class DeviceBuilder {
public:
    explicit DeviceBuilder(Snapshot& snapshot, const Texts& texts) : snapshot_(snapshot), texts_(texts) {}
    BuiltDevice build(std::int32_t device, std::vector<BlockRow> blocks, const Baseline& baseline);

private:
    StackId stack_of(std::int64_t name);
    std::uint16_t stream_of(const BlockRow& block);
    MetadataId category_of(const char* name);
    /// Of the component of each.
    std::vector<MetadataId> categories_of(const std::vector<BlockRow>& blocks);

    Snapshot& snapshot_;
    const Texts& texts_;
    std::unordered_map<std::int64_t, StackId, KeyedHash> stacks_;
    std::unordered_map<std::uint64_t, std::uint16_t, KeyedHash> streams_;
};

}  // namespace snapviewer::ascend
