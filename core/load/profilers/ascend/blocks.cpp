#include "core/load/profilers/ascend/blocks.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/limits.h"
#include "core/base/memory.h"

namespace snapviewer::profilers::ascend {
namespace {

/// Blocks normally return to the pool in much less time than this after they were freed. A longer wait means that another
/// stream still used the block.
constexpr std::int64_t k_pending_ns = 2000;

/// An event of an allocation.
struct Moment {
    std::int64_t time_ns = 0;
    Action action = Action::alloc;
    std::uint32_t allocation = 0;
};

struct End {
    std::int64_t time_ns = 0;
    std::int64_t size_bytes = 0;
};

std::vector<End> ends_of(const std::vector<BlockRow>& blocks) {
    std::vector<End> ends;
    ends.reserve(blocks.size());
    for (const BlockRow& block : blocks) {
        if (block.component == Component::pta && block.end_ns() != k_no_ns)
            ends.push_back({block.end_ns(), block.size_bytes});
    }
    std::ranges::sort(ends, {}, &End::time_ns);
    return ends;
}

bool is_pending(const BlockRow& block) {
    return block.release_ns != k_no_ns && block.active_release_ns != k_no_ns &&
           block.active_release_ns - block.release_ns > k_pending_ns;
}

/// All events except the beginnings of blocks, sorted by time.
std::vector<Moment> frees_of(const std::vector<BlockRow>& blocks, const Baseline& baseline, std::uint32_t first_block) {
    std::vector<Moment> frees;
    frees.reserve(blocks.size() + baseline.falls.size());
    for (std::uint32_t i = 0; i < baseline.falls.size(); ++i)
        frees.push_back({baseline.falls[i].time_ns, Action::free_completed, first_block - 1 - i});
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        const BlockRow& block = blocks[i];
        if (is_pending(block)) frees.push_back({block.release_ns, Action::free_requested, first_block + i});
        if (block.end_ns() != k_no_ns) frees.push_back({block.end_ns(), Action::free_completed, first_block + i});
    }
    std::ranges::sort(frees, {}, [](const Moment& m) { return std::pair(m.time_ns, m.allocation); });
    return frees;
}

}  // namespace

Baseline find_baseline(const std::vector<BlockRow>& blocks, const std::vector<TotalsRow>& totals) {
    Baseline found;
    const std::vector<End> ends = ends_of(blocks);
    auto start = blocks.begin();
    auto end = ends.begin();
    std::int64_t tracked_bytes = 0;
    std::int64_t level_bytes = -1;  // level of the baseline; -1 before the first total
    for (auto row = totals.begin(); row != totals.end(); ++row) {
        // If several totals have the same time, only the last one is used.
        if (row + 1 != totals.end() && (row + 1)->time_ns == row->time_ns) continue;
        for (; start != blocks.end() && start->alloc_ns <= row->time_ns; ++start) {
            if (start->component == Component::pta) tracked_bytes += start->size_bytes;
        }
        for (; end != ends.end() && end->time_ns <= row->time_ns; ++end) tracked_bytes -= end->size_bytes;
        const std::int64_t active_bytes = std::clamp<std::int64_t>(row->active, 0, limits::k_profiled_bytes);
        const std::int64_t beyond_bytes = active_bytes - tracked_bytes;
        const std::int64_t wanted_bytes = std::max<std::int64_t>(beyond_bytes, 0);
        if (level_bytes >= 0 && wanted_bytes < level_bytes)
            found.falls.push_back({row->time_ns, level_bytes - wanted_bytes});
        level_bytes = level_bytes < 0 ? wanted_bytes : std::min(level_bytes, wanted_bytes);
        const std::int64_t mismatch_bytes = std::abs(beyond_bytes - level_bytes);
        if (mismatch_bytes > found.largest_mismatch_bytes) {
            found.largest_mismatch_bytes = mismatch_bytes;
            found.mismatch_ns = row->time_ns;
        }
    }
    found.rest_bytes = std::max<std::int64_t>(level_bytes, 0);
    return found;
}

BuiltDevice DeviceBuilder::build(std::int32_t device, std::vector<BlockRow> blocks, const Baseline& baseline) {
    BuiltDevice built;
    built.trace.device = device;
    built.trace.allocations_are_given = true;
    const auto rest = static_cast<std::uint32_t>(baseline.rest_bytes > 0 ? 1 : 0);
    const auto first_block = rest + static_cast<std::uint32_t>(baseline.falls.size());
    const std::vector<Moment> frees = frees_of(blocks, baseline, first_block);
    AllocationColumns& allocations = built.trace.allocations;
    allocations.reserve(first_block + blocks.size());
    built.trace.events.reserve(frees.size() + blocks.size());
    built.trace.actions.reserve(frees.size() + blocks.size());

    built.trace.initial_count = first_block;
    built.row_ids.assign(first_block, 0);
    const BlockRow nameless;
    const std::uint16_t no_stream = first_block > 0 ? stream_of(nameless) : std::uint16_t{0};
    if (rest > 0)
        allocations.push(
            {.size_bytes = static_cast<std::uint64_t>(baseline.rest_bytes), .stream = no_stream, .origin = Origin::derived});
    for (auto fall = baseline.falls.rbegin(); fall != baseline.falls.rend(); ++fall)
        allocations.push({.size_bytes = static_cast<std::uint64_t>(fall->size_bytes),
                          .stream = no_stream,
                          .origin = Origin::derived,
                          .state = AllocationState::freed});
    for (const BlockRow& block : blocks) {
        const AllocationState state = block.end_ns() == k_no_ns ? AllocationState::live : AllocationState::freed;
        allocations.push({.address = block.address,
                          .size_bytes = static_cast<std::uint64_t>(block.size_bytes),
                          .stream = stream_of(block),
                          .state = state,
                          .stack = stack_of(block.name)});
        built.row_ids.push_back(block.row_id);
    }

    const MetadataId before = first_block > 0 ? intern_category(snapshot_, "before the profile") : MetadataId::none();
    const std::vector<MetadataId> categories = categories_of(blocks);
    std::vector<std::int64_t> starts_ns(blocks.size());
    std::ranges::transform(blocks, starts_ns.begin(), &BlockRow::alloc_ns);
    free_memory(blocks);  // Frees the rows early: they take about 100 bytes each, and the events need the memory.

    // At equal times, frees come before allocations. The blocks are sorted by start.
    auto free = frees.begin();
    const auto add = [&](const Moment& moment) {
        const std::uint32_t id = moment.allocation;
        const MetadataId category = id < first_block ? before : categories[id - first_block];
        add_event(built.trace, moment.action, AllocationId{id}, us_of(moment.time_ns), allocations.stack[id], category);
        if (moment.action != Action::free_requested) built.trace.actions.push_back(AllocationId{id});
    };
    const auto add_frees_until = [&](std::int64_t time_ns) {
        for (; free != frees.end() && free->time_ns <= time_ns; ++free) add(*free);
    };
    for (std::uint32_t i = 0; i < starts_ns.size(); ++i) {
        add_frees_until(starts_ns[i]);
        add({starts_ns[i], Action::alloc, first_block + i});
    }
    add_frees_until(std::numeric_limits<std::int64_t>::max());
    return built;
}

std::vector<MetadataId> DeviceBuilder::categories_of(const std::vector<BlockRow>& blocks) {
    std::array<MetadataId, 5> of_components;
    std::vector<MetadataId> all;
    all.reserve(blocks.size());
    for (const BlockRow& block : blocks) {
        MetadataId& category = of_components[static_cast<std::size_t>(block.component)];
        if (!category.is_some()) category = intern_category(snapshot_, component_name(block.component));
        all.push_back(category);
    }
    return all;
}

StackId DeviceBuilder::stack_of(std::int64_t name) {
    const auto known = stacks_.find(name);
    if (known != stacks_.end()) return known->second;
    StringId function = texts_.find(name);
    if (!function.is_some()) function = snapshot_.strings.intern(texts_.text(snapshot_, name));
    const FrameId frame = snapshot_.stacks.intern_frame({snapshot_.strings.intern(""), function, 0});
    return stacks_[name] = snapshot_.stacks.intern_stack(std::array{frame});
}

std::uint16_t DeviceBuilder::stream_of(const BlockRow& block) {
    const auto handle = static_cast<std::uint64_t>(block.has_stream ? block.stream : 0);
    const auto known = streams_.find(handle);
    if (known != streams_.end()) return known->second;
    if (snapshot_.streams.size() >= limits::k_streams) return 0;
    snapshot_.streams.push_back(handle);
    return streams_[handle] = static_cast<std::uint16_t>(snapshot_.streams.size() - 1);
}

}  // namespace snapviewer::profilers::ascend
