#include "core/analysis/replay/replayed_moment.h"

#include <algorithm>
#include <unordered_map>

namespace snapviewer {
namespace {

using AllocationsByAddress = std::unordered_map<std::uint64_t, AllocationId, KeyedHash>;

AllocationsByAddress allocations_of(const AddressMoment& recorded) {
    AllocationsByAddress found;
    for (const auto* blocks : {&recorded.blocks, &recorded.outside}) {
        for (const AddressMoment::Block& block : *blocks) found.emplace(block.address, block.allocation);
    }
    return found;
}

/// The allocation of each block in the model, by the block's address in the model.
AllocationsByAddress owners_of_blocks(const ReplayResult& result, const AddressMoment& recorded) {
    const AllocationsByAddress allocations = allocations_of(recorded);
    AllocationsByAddress owners;
    for (const auto& [address, handle] : result.blocks) {
        const ModelBlock& block = result.model->block(handle);
        const auto found = allocations.find(address);
        if (block.serial == handle.serial && found != allocations.end()) owners.emplace(block.address, found->second);
    }
    return owners;
}

RangeTraits traits_of(const ModelBlock& block, const Snapshot& snapshot) {
    const auto index_of = [](const auto& list, const auto& value) {
        return static_cast<std::size_t>(std::ranges::find(list, value) - list.begin());
    };
    RangeTraits traits;
    traits.stream = static_cast<decltype(traits.stream)>(index_of(snapshot.streams, block.stream));
    const std::size_t pool = index_of(snapshot.pools, block.pool->id);
    traits.pool = pool < snapshot.pools.size() ? static_cast<std::uint16_t>(pool) : PoolNames(snapshot).default_pool();
    traits.is_small = block.pool->is_small;
    traits.is_expandable = block.is_expandable();
    return traits;
}

/// Builds the moment from blocks in the order of addresses. Adjacent mapped blocks of one segment form one range, as
/// adjacent mapped pages do.
AddressMoment moment_of(const std::vector<ModelBlock>& blocks, const AllocationsByAddress& owners,
                        const Snapshot& snapshot) {
    AddressMoment moment;
    std::uint64_t segment = 0;
    for (const ModelBlock& block : blocks) {
        if (!block.is_mapped) continue;
        const bool goes_on =
            !moment.ranges.empty() && moment.ranges.back().range.end() == block.address && segment == block.segment;
        if (!goes_on) {
            moment.ranges.push_back(
                {{block.address, 0, traits_of(block, snapshot)}, static_cast<std::uint32_t>(moment.blocks.size()), 0});
            segment = block.segment;
        }
        AddressMoment::Range& range = moment.ranges.back();
        range.range.size_bytes += block.size_bytes;
        moment.reserved_bytes += block.size_bytes;
        if (block.is_idle()) continue;
        const auto owner = owners.find(block.address);
        moment.blocks.push_back({block.address, block.size_bytes,
                                 owner == owners.end() ? AllocationId::none() : owner->second, block.is_pending});
        ++range.block_count;
        moment.active_bytes += block.size_bytes;
        if (block.is_pending) moment.pending_bytes += block.size_bytes;
    }
    return moment;
}

}  // namespace

AddressMoment replayed_moment(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode,
                              std::uint32_t event_count, const AddressMoment& recorded) {
    const auto result = replay(run, settings, {.mode = mode, .event_count = event_count});
    if (!result.start_fits || result.model == nullptr) return AddressMoment{};
    return moment_of(result.model->blocks(), owners_of_blocks(result, recorded), *run.snapshot);
}

}  // namespace snapviewer
