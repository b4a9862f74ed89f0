#include "core/analysis/replay/replay_evidence.h"

#include <algorithm>
#include <iterator>

namespace snapviewer {
namespace {

constexpr std::uint64_t k_rest_never_split_bytes = std::uint64_t{1} << 20;
constexpr std::size_t k_most_kinds = 1024;  // more kinds than any real program has; each lost page searches all of them

bool grows(Action action) { return action == Action::segment_alloc || action == Action::segment_map; }

class Evidence {
public:
    Evidence(const RecordedRun& run, const PageKinds& pages, ReplayStart& start) : run_(run), pages_(pages), start_(start) {
        for (const Segment& segment : run.snapshot->segments) {
            if (segment.device == run.trace->device) segments_.push_back(&segment);
        }
        std::ranges::stable_sort(segments_, {}, &Segment::address);
    }

    /// Finds the events at which expandable segments were turned on or off. A request of the default pool shows "on" if it
    /// mapped pages or lies in an expandable segment, and "off" if it made a native segment. With the setting off, the
    /// allocator skips blocks in expandable segments. A switch between two such requests is assigned to the later one.
    void find_switches() {
        std::map<std::uint32_t, bool> shown;
        for (std::uint32_t i = 0; i < run_.event_count(); ++i) {
            if (event_pool(i) != PoolId{}) continue;
            if (grows(run_.action(i)) && run_.owner[i] != k_no_event) {
                const Segment* at = segment_at(run_.address(i));
                if (at == nullptr || pool_of(*at) == PoolId{}) shown[run_.owner[i]] = run_.action(i) == Action::segment_map;
            } else if (run_.action(i) == Action::alloc) {
                const auto page = pages_.find(run_.address(i) - run_.address(i) % k_page_bytes);
                if (page != pages_.end() && std::get<0>(page->second) == PoolId{}) shown[i] = true;
            }
        }
        std::uint32_t not_before = 0;
        for (const auto& [event, is_on] : shown) {
            if (start_.switches.empty() || start_.switches.back().is_on != is_on)
                start_.switches.push_back({event, is_on, not_before});
            not_before = event + 1;
        }
        if (start_.switches.size() == 1) start_.switches.clear();
    }

    /// Finds private pools that have only native segments although the default pool has expandable ones.
    void find_native_pools() {
        if (!run_.settings.expandable && start_.switches.empty()) return;
        std::set<PoolId> mapped{PoolId{}};
        for (const Segment* segment : segments_)
            (segment->is_expandable ? mapped : start_.native_pools).insert(pool_of(*segment));
        for (std::uint32_t i = 0; i < run_.event_count(); ++i) {
            if (grows(run_.action(i)))
                (run_.action(i) == Action::segment_map ? mapped : start_.native_pools).insert(event_pool(i));
        }
        for (const PoolId& pool : mapped) start_.native_pools.erase(pool);
    }

    /// Finds private pools whose blocks are never split: a block kept a rest that is otherwise split off, and no segment
    /// ever had two blocks.
    void find_unsplit_pools() {
        std::set<PoolId> split;
        for (const Segment* segment : segments_) {
            const PoolId pool = pool_of(*segment);
            if (pool == PoolId{} || segment->is_expandable || segment->block_count != 1)
                split.insert(pool);
            else if (keeps_a_rest(*segment))
                start_.unsplit_pools.insert(pool);
        }
        for (std::uint32_t i = 0; i < run_.event_count(); ++i) {
            if (run_.action(i) != Action::alloc) continue;
            const Segment* at = segment_at(run_.address(i));
            if (at != nullptr && at->address != run_.address(i)) split.insert(pool_of(*at));
        }
        for (const PoolId& pool : split) start_.unsplit_pools.erase(pool);
    }

private:
    PoolId named(std::uint16_t pool) const { return pool == k_no_pool ? PoolId{} : run_.snapshot->pools[pool]; }
    PoolId event_pool(std::uint32_t i) const { return named(run_.trace->events.pool[i]); }
    PoolId pool_of(const Segment& segment) const { return named(segment.pool); }

    /// The segment that contains an address at the end of the recording, or nullptr.
    const Segment* segment_at(std::uint64_t address) const {
        const auto above = std::ranges::upper_bound(segments_, address, {}, &Segment::address);
        if (above == segments_.begin()) return nullptr;
        const Segment* segment = *std::prev(above);
        return address < segment->address + segment->total_bytes ? segment : nullptr;
    }

    bool keeps_a_rest(const Segment& segment) const {
        const Block& block = run_.snapshot->blocks[segment.first_block];
        if (block.state == BlockState::inactive) return false;
        const std::uint64_t least = run_.settings.rounded(block.requested_bytes);
        if (block.size_bytes <= least) return false;
        const std::uint64_t rest = block.size_bytes - least;
        if (run_.snapshot->strings.view(segment.type) == "small") return rest >= k_least_block_bytes;
        return rest > k_rest_never_split_bytes && least < run_.settings.max_split;
    }

    const RecordedRun& run_;
    const PageKinds& pages_;
    ReplayStart& start_;
    std::vector<const Segment*> segments_;  ///< Segments of the device, sorted by address
};

}  // namespace

PageKind kind_of_lost_page(const RecordedRun& run, const std::map<PageKind, std::vector<std::uint64_t>>& known,
                           std::uint64_t page, std::uint32_t event) {
    const std::uint16_t told = run.trace->events.pool[event];
    const bool is_odd = run.size_bytes(event) % run.settings.large_segment != 0;
    const PageKind* nearest = nullptr;
    std::uint64_t least = 0;
    for (const auto& [kind, row] : known) {
        if (known.size() > k_most_kinds) break;
        const auto& [pool, is_small, stream] = kind;
        if (stream != run.stream_of(event) || (is_odd && !is_small)) continue;
        if (told != k_no_pool && pool != run.snapshot->pools[told]) continue;
        const auto above = std::ranges::lower_bound(row, page);
        std::uint64_t far = k_unlimited_bytes;
        if (above != row.end()) far = *above - page;
        if (above != row.begin()) far = std::min(far, page - *std::prev(above));
        if (nearest != nullptr && far >= least) continue;
        nearest = &kind;
        least = far;
    }
    if (nearest != nullptr) return *nearest;
    return {told == k_no_pool ? PoolId{} : run.snapshot->pools[told], is_odd, run.stream_of(event)};
}

void find_evidence(const RecordedRun& run, const PageKinds& pages, ReplayStart& start) {
    Evidence evidence(run, pages, start);
    evidence.find_switches();
    evidence.find_native_pools();
    evidence.find_unsplit_pools();
}

BehindBlocks::BehindBlocks(const RecordedRun& run) : run_(run) {
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        if (run.action(i) == Action::alloc) allocs_.emplace_back(run.address(i), i);
        if (run.action(i) == Action::free_completed) frees_.emplace_back(run.address(i), i);
    }
    std::ranges::sort(allocs_);
    std::ranges::sort(frees_);
}

std::uint32_t BehindBlocks::after(const Places& places, std::uint64_t address, std::uint32_t event) {
    const auto found = std::ranges::upper_bound(places, std::pair(address, event));
    return found == places.end() || found->first != address ? k_no_event : found->second;
}

std::optional<std::uint64_t> BehindBlocks::next(std::uint32_t alloc, std::uint64_t one, std::uint64_t other) const {
    const std::uint64_t address = run_.address(alloc);
    const std::uint32_t at_one = after(allocs_, one, alloc);
    const std::uint32_t at_other = after(allocs_, other, alloc);
    const std::uint32_t freed = after(frees_, address, alloc);
    if (const std::uint32_t first = std::min(at_one, at_other); first != k_no_event && first < freed)
        return first == at_one ? one : other;
    const auto end = run_.start.final_live.find(address);
    if (freed != k_no_event || end == run_.start.final_live.end()) return std::nullopt;
    return address + end->second;
}

}  // namespace snapviewer
