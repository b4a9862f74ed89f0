#include "core/load/profilers/ascend/blocks_so_far.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/context.h"
#include "core/trace/observer.h"

namespace snapviewer::ascend {

void BlocksSoFar::show_if_asked(const std::map<std::int32_t, DeviceRows>& devices, const Texts& wanted) {
    const Progress* const progress = Context::current().progress;
    Observer* observer = progress != nullptr ? progress->observer() : nullptr;
    if (observer == nullptr || !observer->wants_to_look()) return;
    const auto most = std::ranges::max_element(devices, {}, [](const auto& of) { return of.second.blocks.size(); });
    if (most == devices.end() || most->second.blocks.empty()) return;
    read_names(wanted);
    const std::vector<BlockRow>& blocks = most->second.blocks;
    observer->look(snapshot_, 2 * blocks.size(), [&] { return trace_of(most->first, blocks); });
}

/// Reads the names only once, because this takes a pass over all texts. The few operations that occur later are shown by the
/// numbers of their names.
void BlocksSoFar::read_names(const Texts& wanted) {
    if (std::exchange(has_names_, true)) return;
    texts_ = wanted;
    texts_.read(file_, snapshot_);
}

DeviceTrace BlocksSoFar::trace_of(std::int32_t device, std::vector<BlockRow> blocks) {
    std::ranges::sort(blocks, {}, [](const BlockRow& block) { return std::tuple(block.alloc_ns, block.row_id); });
    for (BlockRow& block : blocks) {
        // A block that is freed after the last allocation read so far is shown as live, because other allocations before its
        // free have not been read yet.
        if (block.end_ns() > blocks.back().alloc_ns) block.release_ns = block.active_release_ns = k_no_ns;
    }
    return builder_.build(device, std::move(blocks), {}).trace;
}

}  // namespace snapviewer::ascend
