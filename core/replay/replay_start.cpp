#include "core/replay/recorded_run.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>

#include "core/base/context.h"
#include "core/base/hash.h"

// The allocator's state before the first event of a recording.
namespace snapviewer::replay {
namespace {

constexpr std::size_t k_max_classes = 1024;                // more than any real program has; each lost page searches all
constexpr std::size_t k_max_pages = std::size_t{2} << 20;  // pages of 2 MiB, which are 4 TiB in total
constexpr std::size_t k_max_page_visits = std::size_t{16} << 20;  // maximum number of page visits for all events together
/// Minimum distance between expandable ranges of different reservations.
constexpr std::uint64_t k_reservations_apart_bytes = std::uint64_t{1} << 38;

/// The requests that each page of expandable segments serves, by address.
using Pages = std::map<std::uint64_t, RequestClass>;

/// Fills `switches`, `native_pools` and `unsplit_pools` of a start from the evidence of requests and segments. `pages`
/// contains all pages of expandable segments that the recording ever shows.
class Evidence {
public:
    Evidence(const RecordedRun& run, const Pages& pages, ReplayStart& start)
        : run_(run), pages_(pages), start_(start), segments_(*run.snapshot, run.trace->device) {}

    /// Finds the events at which expandable segments were turned on or off. A request of the default pool shows "on" if it
    /// mapped pages or lies in an expandable segment, and "off" if it made a native segment. With the setting off, the
    /// allocator skips blocks in expandable segments. A switch between two such requests is assigned to the later one.
    void find_switches() {
        std::map<std::uint32_t, bool> shown;
        for (std::uint32_t i = 0; i < run_.event_count(); ++i) {
            if (run_.named_pool(i) != PoolId{}) continue;
            if (is_growth(run_.action(i)) && run_.owner[i] != k_no_event) {
                const Segment* at = segments_.find(run_.address(i));
                if (at == nullptr || pool_of(*at) == PoolId{}) shown[run_.owner[i]] = run_.action(i) == Action::segment_map;
            } else if (run_.action(i) == Action::alloc) {
                const auto page = pages_.find(run_.address(i) - run_.address(i) % k_page_bytes);
                if (page != pages_.end() && page->second.pool == PoolId{}) shown[i] = true;
            }
        }
        std::uint32_t earliest_event = 0;
        for (const auto& [event, is_on] : shown) {
            if (start_.switches.empty() || start_.switches.back().is_on != is_on)
                start_.switches.push_back({event, is_on, earliest_event});
            earliest_event = event + 1;
        }
        if (start_.switches.size() == 1) start_.switches.clear();
    }

    /// Finds private pools that have only native segments although the default pool has expandable ones.
    void find_native_pools() {
        if (!run_.settings.expandable && start_.switches.empty()) return;
        std::set<PoolId> mapped{PoolId{}};
        for (const Segment* segment : segments_.by_address())
            (segment->is_expandable ? mapped : start_.native_pools).insert(pool_of(*segment));
        for (std::uint32_t i = 0; i < run_.event_count(); ++i) {
            if (is_growth(run_.action(i)))
                (run_.action(i) == Action::segment_map ? mapped : start_.native_pools).insert(run_.named_pool(i));
        }
        for (const PoolId& pool : mapped) start_.native_pools.erase(pool);
    }

    /// Finds private pools whose blocks are never split: a block kept a rest that is otherwise split off, and no segment
    /// ever had two blocks.
    void find_unsplit_pools() {
        std::set<PoolId> split;
        for (const Segment* segment : segments_.by_address()) {
            const PoolId pool = pool_of(*segment);
            if (pool == PoolId{} || segment->is_expandable || segment->block_count != 1)
                split.insert(pool);
            else if (keeps_remainder_of(*segment))
                start_.unsplit_pools.insert(pool);
        }
        for (std::uint32_t i = 0; i < run_.event_count(); ++i) {
            if (run_.action(i) != Action::alloc) continue;
            const Segment* at = segments_.find(run_.address(i));
            if (at != nullptr && at->address != run_.address(i)) split.insert(pool_of(*at));
        }
        for (const PoolId& pool : split) start_.unsplit_pools.erase(pool);
    }

private:
    PoolId pool_of(const Segment& segment) const { return pool_id(*run_.snapshot, segment.pool); }

    bool keeps_remainder_of(const Segment& segment) const {
        const Block& block = run_.snapshot->blocks[segment.first_block];
        if (block.state == BlockState::inactive) return false;
        const std::uint64_t least = run_.settings.rounded(block.requested_bytes);
        if (block.size_bytes <= least) return false;
        const std::uint64_t rest = block.size_bytes - least;
        if (run_.snapshot->strings.view(segment.type) == "small") return rest >= k_min_block_bytes;
        return rest > k_max_unsplit_rest_bytes && least < run_.settings.max_split;
    }

    const RecordedRun& run_;
    const Pages& pages_;
    ReplayStart& start_;
    SegmentIndex segments_;
};

/// Computes the start by undoing the events from the end of a recording to its beginning.
class BackwardWalk {
public:
    BackwardWalk(const RecordedRun& run, ReplayStart& start) : run_(run), start_(start) {
        const auto& actions = run.trace->events.action;
        const bool has_requests = std::ranges::find(actions, Action::free_requested) != actions.end();
        has_free_requests_ = has_requests && !run.trace->requests_are_frees;
    }

    void walk() {
        read_segments();
        find_lost_pages();
        for (const auto& [page, requests] : known_) pages_of_[requests].push_back(page);
        for (auto i = static_cast<std::uint32_t>(run_.event_count()); i-- > 0;) undo(i);
        for (const auto& [base, native] : native_) {
            if (native.size_bytes > 0) start_.regions.push_back(native);  // a segment of 0 bytes holds no block
        }
        group_pages();
        drop_overlaps();
        find_bounds();
        Evidence evidence(run_, known_, start_);
        evidence.find_switches();
        evidence.find_native_pools();
        evidence.find_unsplit_pools();
    }

private:
    void problem(const char* name) { ++start_.problems[name]; }
    /// Counts pages that are to be visited one by one. Returns false if that exceeds a limit.
    bool may_visit(std::uint64_t bytes) {
        const std::uint64_t pages = bytes / k_page_bytes;
        page_visits_ += pages;
        return pages + known_.size() <= k_max_pages && page_visits_ <= k_max_page_visits;
    }
    [[noreturn]] static void fail_too_many() {
        throw Failure{{ErrorCode::bad_file, "maps more memory than any device has, so it cannot be replayed"}};
    }

    void read_segments() {
        for (const Segment& segment : run_.snapshot->segments) {
            if (segment.device != run_.trace->device) continue;
            const RequestClass requests{pool_id(*run_.snapshot, segment.pool),
                                        run_.snapshot->strings.view(segment.type) == "small",
                                        run_.snapshot->streams[segment.stream]};
            if (segment.is_expandable) {
                if (!may_visit(segment.total_bytes)) fail_too_many();
                for (std::uint64_t page = segment.address; page < segment.address + segment.total_bytes;
                     page += k_page_bytes) {
                    pages_.insert(page);
                    known_[page] = requests;
                }
            } else {
                native_[segment.address] = {
                    .base = segment.address, .size_bytes = segment.total_bytes, .requests = requests};
            }
            for (const Block& block : run_.snapshot->blocks_of(segment)) {
                if (block.state == BlockState::inactive) continue;
                start_.live[block.address] = {block.requested_bytes, block.size_bytes,
                                              block.state != BlockState::active_allocated};
            }
        }
        for (const auto& [address, block] : start_.live) start_.final_live[address] = block.size_bytes;
    }

    /// Finds the pages that were mapped during the recording and are not mapped at the end. The size class is that of the
    /// request that mapped them.
    void find_lost_pages() {
        for (std::uint32_t i = 0; i < run_.event_count(); ++i) {
            const std::uint32_t owner = run_.owner[i];
            if (run_.action(i) != Action::segment_map || owner == k_no_event) continue;
            const std::uint64_t size = run_.size_bytes(owner);
            const std::uint64_t asked =
                run_.action(owner) == Action::alloc ? size : size - std::min(size, run_.settings.padding);
            const bool is_small = run_.settings.rounded(asked) <= k_small_limit_bytes;
            if (!may_visit(run_.size_bytes(i))) fail_too_many();
            for (std::uint64_t page = run_.address(i); page < run_.address(i) + run_.size_bytes(i); page += k_page_bytes)
                known_.try_emplace(page, RequestClass{run_.named_pool(i), is_small, run_.stream_of(i)});
        }
    }

    void undo(std::uint32_t i) {
        const std::uint64_t address = run_.address(i);
        const std::uint64_t size = run_.size_bytes(i);
        switch (run_.action(i)) {
            case Action::alloc:
                if (start_.live.erase(address) == 0) problem(k_never_freed);
                break;
            case Action::free_completed:
                if (start_.live.contains(address))
                    problem("free of a block that is allocated again without a recorded alloc");
                start_.live[address] = {.asked_bytes = size, .is_pending = has_free_requests_};
                break;
            case Action::free_requested:
                if (const auto found = start_.live.find(address); found != start_.live.end()) {
                    found->second.is_pending = false;
                } else {
                    problem("free requested but never completed and not live at the end");
                    start_.live[address] = {.asked_bytes = size};
                }
                break;
            case Action::segment_alloc:
                if (native_.erase(address) == 0) problem("segment allocated but neither freed nor present at the end");
                break;
            case Action::segment_free:
                if (native_.contains(address)) problem("segment freed twice");
                native_[address] = {address, size, {run_.named_pool(i), size == k_small_segment_bytes, run_.stream_of(i)}};
                break;
            case Action::segment_map:
            case Action::segment_unmap: undo_pages(i, address, size); break;
            default: break;
        }
    }

    void undo_pages(std::uint32_t i, std::uint64_t address, std::uint64_t size) {
        if (!may_visit(size)) fail_too_many();
        std::optional<RequestClass> lost;  // all pages of one event belong to one segment, which serves the same requests
        for (std::uint64_t page = address; page < address + size; page += k_page_bytes) {
            if (!known_.contains(page)) {
                if (!lost) lost = requests_of_lost_page(page, i);
                known_[page] = *lost;
            }
            if (run_.action(i) == Action::segment_unmap)
                pages_.insert(page);
            else if (pages_.erase(page) == 0)
                problem("page mapped but neither unmapped nor present at the end");
        }
    }

    /// Returns which requests a page serves that is mentioned in unmap events only. It is assumed to serve the requests of
    /// the nearest known page with the same stream and, if the event has a pool, the same pool. Large segments unmap whole
    /// pages of their size, so any other size belongs to a small segment. O(classes log pages).
    RequestClass requests_of_lost_page(std::uint64_t page, std::uint32_t event) const {
        const bool has_pool = run_.trace->events.pool[event] != k_no_pool;
        const bool is_odd = run_.size_bytes(event) % run_.settings.large_segment != 0;
        RequestClass nearest{run_.named_pool(event), is_odd, run_.stream_of(event)};
        if (pages_of_.size() > k_max_classes) return nearest;
        std::optional<std::uint64_t> nearest_bytes;
        for (const auto& [requests, pages] : pages_of_) {
            if (requests.stream != run_.stream_of(event) || (is_odd && !requests.is_small)) continue;
            if (has_pool && requests.pool != run_.named_pool(event)) continue;
            const auto above = std::ranges::lower_bound(pages, page);
            std::uint64_t distance_bytes = k_unlimited_bytes;
            if (above != pages.end()) distance_bytes = *above - page;
            if (above != pages.begin()) distance_bytes = std::min(distance_bytes, page - *std::prev(above));
            if (nearest_bytes && distance_bytes >= *nearest_bytes) continue;
            nearest = requests;
            nearest_bytes = distance_bytes;
        }
        return nearest;
    }

    /// Groups all pages ever seen into reservations. Each reservation starts at its lowest page.
    void group_pages() {
        std::map<RequestClass, std::vector<std::uint64_t>> groups;
        for (const auto& [page, requests] : known_) groups[requests].push_back(page);
        for (const auto& [requests, row] : groups) {
            const std::uint64_t step = requests.is_small ? k_small_segment_bytes : run_.settings.large_segment;
            std::size_t first = 0;
            for (std::size_t i = 1; i <= row.size(); ++i) {
                const bool is_apart = i == row.size() || row[i] - row[i - 1] > k_reservations_apart_bytes ||
                                      (row[i] != row[i - 1] + k_page_bytes && (row[i] - row[first]) % step != 0);
                if (!is_apart) continue;
                add_reservation(requests, std::span(row).subspan(first, i - first), step);
                first = i;
            }
        }
    }

    void add_reservation(const RequestClass& requests, std::span<const std::uint64_t> pages, std::uint64_t step) {
        std::vector<std::uint64_t> here;
        std::ranges::copy_if(pages, std::back_inserter(here), [&](std::uint64_t page) { return pages_.contains(page); });
        if (here.empty()) {
            start_.later_bases[requests].push_back(pages.front());
            return;
        }
        start_.regions.push_back(
            {pages.front(), pages.back() + k_page_bytes - pages.front(), requests, step, std::move(here)});
    }

    /// Resolves overlaps of segments, which occur if events are missing. Of two native segments, the lower one is cut where
    /// the other begins; otherwise the larger region is kept.
    void drop_overlaps() {
        std::ranges::stable_sort(start_.regions, {}, &StartRegion::base);
        std::vector<StartRegion> kept;
        for (StartRegion& region : start_.regions) {
            if (!kept.empty() && kept.back().end() > region.base) {
                problem("segments overlap");
                StartRegion& last = kept.back();
                if (region.is_native() && last.is_native() && region.base > last.base) {
                    last.size_bytes = region.base - last.base;
                } else {
                    if (last.size_bytes < region.size_bytes) last = std::move(region);
                    continue;
                }
            }
            kept.push_back(std::move(region));
        }
        start_.regions = std::move(kept);
        for (const StartRegion& region : start_.regions)
            start_.reserved_bytes += region.is_native() ? region.size_bytes : region.pages.size() * k_page_bytes;
    }

    void find_bounds() {
        std::set<std::uint64_t> bounds;
        for (const StartRegion& region : start_.regions) bounds.insert(region.base);
        for (const auto& [key, row] : start_.later_bases) bounds.insert(row.begin(), row.end());
        for (std::uint32_t i = 0; i < run_.event_count(); ++i) {
            if (run_.action(i) == Action::segment_alloc) bounds.insert(run_.address(i));
        }
        start_.bounds.assign(bounds.begin(), bounds.end());
    }

    const RecordedRun& run_;
    ReplayStart& start_;
    std::map<std::uint64_t, StartRegion> native_;                  ///< Native segments by base address
    std::set<std::uint64_t> pages_;                                ///< Mapped pages
    Pages known_;                                                  ///< All pages that were ever mapped
    std::map<RequestClass, std::vector<std::uint64_t>> pages_of_;  ///< Pages that requests or segments show, ascending
    std::uint64_t page_visits_ = 0;
    /// True if the trace records the request of a free and its completion as separate events.
    bool has_free_requests_ = false;
};

/// Finds the sizes of the blocks that were live at the start.
class BlockSizes {
public:
    BlockSizes(const RecordedRun& run, ReplayStart& start) : run_(run), start_(start) {
        for (std::uint32_t i = 0; i < run.event_count(); ++i) {
            if (run.action(i) == Action::free_completed) freed_at_.try_emplace(run.address(i), i);
            if (run.action(i) == Action::alloc) allocs_.emplace_back(run.address(i), i);
        }
        std::ranges::sort(allocs_);
    }

    void find() {
        std::vector<std::uint64_t> homeless;
        for (auto at = start_.live.begin(); at != start_.live.end(); ++at) {
            const StartRegion* region = region_of(at->first);
            if (region == nullptr) {
                ++start_.problems["live block outside every segment"];
                homeless.push_back(at->first);
            } else if (at->second.size_bytes == 0) {
                const auto next = std::next(at);
                find_size(at->first, at->second, *region, next == start_.live.end() ? k_unlimited_bytes : next->first);
            }
        }
        for (auto left = start_.live.begin(); left != start_.live.end(); ++left) {
            const auto right = std::next(left);
            if (right == start_.live.end() || left->first + left->second.size_bytes <= right->first) continue;
            ++start_.problems["live blocks overlap"];
            left->second.size_bytes = right->first - left->first;
        }
        for (const std::uint64_t address : homeless) start_.live.erase(address);
    }

private:
    const StartRegion* region_of(std::uint64_t address) const {
        const auto above = std::ranges::upper_bound(start_.regions, address, {}, &StartRegion::base);
        if (above == start_.regions.begin()) return nullptr;
        const StartRegion& region = *std::prev(above);
        if (address >= region.end()) return nullptr;
        const std::uint64_t page = address - (address - region.base) % k_page_bytes;
        return region.is_native() || std::ranges::binary_search(region.pages, page) ? &region : nullptr;
    }

    /// Finds the size of a live block. A large block can exceed its rounded size by a rest that was too small to split off.
    void find_size(std::uint64_t address, StartBlock& block, const StartRegion& region, std::uint64_t next) const {
        const std::uint64_t least = run_.settings.rounded(block.asked_bytes);
        block.size_bytes = least;
        if (region.is_native() && start_.unsplit_pools.contains(region.requests.pool))
            block.size_bytes = region.end() - address;
        if (!region.is_native() || region.requests.is_small || start_.unsplit_pools.contains(region.requests.pool)) return;
        const std::uint64_t limit = std::min(region.end(), next);
        const std::uint64_t gap = limit > address + least ? limit - address - least : 0;
        if (least >= run_.settings.max_split) {
            block.size_bytes += gap;
        } else if (was_expandable_at_start()) {
            return;  // Native blocks are then split as small blocks are, so they keep no rest.
        } else if (gap > 0 && gap <= k_max_unsplit_rest_bytes) {
            block.size_bytes += gap;
        } else if (gap > k_max_unsplit_rest_bytes) {
            // Free space follows the block. The free space begins at the first address that is allocated from it.
            const auto first_use = first_alloc(address + least, limit, freed_before(address));
            if (!first_use)
                block.is_guess = true;
            else if (*first_use > address + least && *first_use - address - least <= k_max_unsplit_rest_bytes)
                block.size_bytes = *first_use - address;
        }
    }

    bool was_expandable_at_start() const {
        return start_.switches.empty() ? run_.settings.expandable : start_.switches.front().is_on;
    }

    std::uint32_t freed_before(std::uint64_t address) const {
        const auto found = freed_at_.find(address);
        return found == freed_at_.end() ? static_cast<std::uint32_t>(run_.event_count()) : found->second;
    }

    std::optional<std::uint64_t> first_alloc(std::uint64_t begin, std::uint64_t end, std::uint32_t until) const {
        std::pair<std::uint32_t, std::uint64_t> first{k_no_event, 0};
        for (auto at = std::ranges::lower_bound(allocs_, std::pair(begin, std::uint32_t{0}));
             at != allocs_.end() && at->first < end; ++at) {
            if (at->second < until) first = std::min(first, {at->second, at->first});
        }
        return first.first == k_no_event ? std::nullopt : std::optional(first.second);
    }

    const RecordedRun& run_;
    ReplayStart& start_;
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> freed_at_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> allocs_;  ///< Pairs of address and event, sorted
};

}  // namespace

ReplayStart replay_start(const RecordedRun& run) {
    ReplayStart start;
    BackwardWalk(run, start).walk();
    check_stop();
    BlockSizes(run, start).find();
    return start;
}

}  // namespace snapviewer::replay
