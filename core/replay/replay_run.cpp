#include "core/replay/replay_run.h"

#include <algorithm>
#include <utility>

#include "core/base/context.h"
#include "core/base/text.h"

namespace snapviewer::replay {
namespace {

constexpr std::uint32_t k_requests_between_stop_checks = 256;

using Blocks = decltype(ReplayResult::blocks);

/// Builds the recorded start state in an empty model.
class StartBuilder {
public:
    StartBuilder(const ReplayStart& start, AllocatorModel& model, Blocks& blocks)
        : start_(start), model_(model), blocks_(blocks) {}

    void carry() {
        for (const StartRegion& region : start_.regions) add(region);
        for (const auto& [address, block] : start_.live) {
            if (const auto made = blocks_.find(address); block.is_pending && made != blocks_.end())
                model_.release(made->second);
        }
        model_.begin(start_.reserved_bytes);
    }

    /// Allocates the live blocks again, in the order of addresses. Returns false if they do not fit.
    bool rebuild() {
        for (const auto& [address, block] : start_.live) {
            const auto above = std::ranges::upper_bound(start_.regions, address, {}, &StartRegion::base);
            const StartRegion& region = *std::prev(above);
            const auto made = model_.allocate(block.asked_bytes, region.requests.stream, region.requests.pool);
            if (!made) return false;
            blocks_[address] = *made;
        }
        for (const auto& [address, block] : start_.live) {
            if (block.is_pending) model_.release(blocks_.at(address));
        }
        model_.log.clear();
        return true;
    }

private:
    struct Run {
        std::uint64_t begin, end;
        bool is_mapped;
    };

    /// The mapped and unmapped stretches of a region, in the order of addresses.
    std::vector<Run> runs_of(const StartRegion& region) const {
        if (region.is_native()) return {{region.base, region.end(), true}};
        std::uint64_t size = std::min(model_.reservation_bytes(region.page), model_.addresses().room_above(region.base));
        size = std::max(size / region.page * region.page, region.size_bytes);
        std::vector<Run> runs;
        std::uint64_t at = region.base;
        for (const std::uint64_t page : region.pages) {
            if (!runs.empty() && runs.back().is_mapped && runs.back().end == page) {
                runs.back().end = page + k_page_bytes;
            } else {
                if (page > at) runs.push_back({at, page, false});
                runs.push_back({page, page + k_page_bytes, true});
            }
            at = page + k_page_bytes;
        }
        if (at < region.base + size) runs.push_back({at, region.base + size, false});
        return runs;
    }

    void add(const StartRegion& region) {
        ModelPool& pool = model_.pool(region.requests.pool, region.requests.is_small);
        std::vector<std::uint32_t> chain;
        const auto push = [&](std::uint64_t address, std::uint64_t size, bool is_mapped) {
            chain.push_back(model_.add_block({.address = address,
                                              .size_bytes = size,
                                              .stream = region.requests.stream,
                                              .segment = region.base,
                                              .page = region.page,
                                              .pool = &pool,
                                              .is_mapped = is_mapped}));
        };
        std::vector<std::pair<std::size_t, std::uint64_t>> held;  // pairs of position in the chain and address
        std::vector<std::size_t> free;
        auto live = start_.live.lower_bound(region.base);
        for (const Run& run : runs_of(region)) {
            std::uint64_t at = run.begin;
            const auto push_free = [&](std::uint64_t end) {
                free.push_back(chain.size());
                push(at, end - at, run.is_mapped);
            };
            for (; live != start_.live.end() && live->first < run.end; ++live) {
                if (live->first < run.begin) continue;
                if (live->first > at) push_free(live->first);
                held.emplace_back(chain.size(), live->first);
                at = std::min(live->first + live->second.size_bytes, run.end);
                push(live->first, at - live->first, run.is_mapped);
            }
            if (at < run.end) push_free(run.end);
        }
        model_.add_chain(chain);
        for (const auto& [place, address] : held)
            blocks_[address] = model_.hold(chain[place], start_.live.at(address).asked_bytes);
        for (const std::size_t place : free) model_.insert_free(chain[place]);
    }

    const ReplayStart& start_;
    AllocatorModel& model_;
    Blocks& blocks_;
};

/// Finds out where a block ends, from the allocations behind it.
class BlockEnds {
public:
    explicit BlockEnds(const RecordedRun& run) : run_(run) {
        for (std::uint32_t i = 0; i < run.event_count(); ++i) {
            if (run.action(i) == Action::alloc) allocs_.emplace_back(run.address(i), i);
            if (run.action(i) == Action::free_completed) frees_.emplace_back(run.address(i), i);
        }
        std::ranges::sort(allocs_);
        std::ranges::sort(frees_);
    }

    /// Returns the end of a block, given the event of its alloc and two possible addresses of its end: the address that is
    /// allocated first while the block is live. If there is none, returns the end of the block in the segments of the file,
    /// or nullopt if the block is not there.
    std::optional<std::uint64_t> next(std::uint32_t alloc, std::uint64_t one, std::uint64_t other) const {
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

private:
    using Places = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  ///< Pairs of address and event, sorted

    static std::uint32_t after(const Places& places, std::uint64_t address, std::uint32_t event) {
        const auto found = std::ranges::upper_bound(places, std::pair(address, event));
        return found == places.end() || found->first != address ? k_no_event : found->second;
    }

    const RecordedRun& run_;
    Places allocs_;
    Places frees_;
};

class ReplayLoop {
public:
    /// `settled` receives the unknown causes of flushes and the positions of switches. It is the same recording as `run`, or
    /// null if these are not to be determined.
    ReplayLoop(const RecordedRun& run, RecordedRun* settled, const AllocatorSettings& settings, const ReplayOptions& options)
        : run_(run), completed_run_(settled), options_(options) {
        AddressSource addresses(run.top, options.order);
        addresses.bounds = run.start.bounds;
        if (has_hints()) addresses.bases = run.start.later_bases;
        out_.model = std::make_unique<AllocatorModel>(settings, std::move(addresses));
        model().native_pools = run.start.native_pools;
        model().unsplit_pools = run.start.unsplit_pools;
        follows_switches_ = settings.follows_switches && !run.start.switches.empty();
        if (follows_switches_) set_expandable(run.start.switches.front().is_on);
    }

    ReplayResult replay_all() {
        out_.start_fits = begin();
        if (!out_.start_fits) return std::move(out_);
        out_.start_reserved_bytes = out_.peak_reserved_bytes = model().reserved_bytes;
        const std::uint64_t driver_allocs_before = model().driver_allocs;
        replay_events();
        out_.driver_allocs = model().driver_allocs - driver_allocs_before;
        out_.driver_frees = model().driver_frees;
        out_.flushes = model().flushes;
        out_.peak_reserved_bytes = model().peak_reserved_bytes;
        out_.peak_allocated_bytes = model().peak_allocated_bytes;
        out_.final_reserved_bytes = model().reserved_bytes;
        return std::move(out_);
    }

private:
    AllocatorModel& model() { return *out_.model; }
    bool has_hints() const { return options_.order == AddressOrder::recorded; }
    void problem(const char* name) { ++out_.problems[name]; }
    FlushCause cause(std::size_t flush) const { return run_.flushes[flush].cause; }
    void set_expandable(bool is_on) {
        AllocatorSettings settings = model().settings();
        settings.expandable = is_on;
        model().change_settings(settings);
    }

    /// Builds the state at the start of the replay. Returns false if its memory does not fit.
    bool begin() {
        StartBuilder builder(run_.start, model(), out_.blocks);
        if (options_.mode == ReplayMode::rebuilt) return builder.rebuild();
        builder.carry();
        const std::uint64_t capacity = model().settings().capacity;
        if (capacity == 0 || model().reserved_bytes <= capacity) return true;
        model().flush();
        model().log.clear();
        model().peak_reserved_bytes = model().reserved_bytes;
        return model().reserved_bytes <= capacity;
    }

    /// Finds the events of requests for which the card was full.
    void find_forced() {
        for (std::size_t i = 0; i < run_.flushes.size(); ++i) {
            if (cause(i) == FlushCause::retry) forced_.insert(run_.request_after(run_.flushes[i].end));
        }
        for (std::uint32_t i = 0; i < count_; ++i) {
            if (run_.action(i) == Action::oom) forced_.insert(i);
        }
    }

    void replay_events() {
        count_ = std::min(options_.event_count, static_cast<std::uint32_t>(run_.event_count()));
        find_forced();
        out_.reserved_after.resize(count_);
        out_.placed.resize(count_);
        const std::uint32_t every = std::max<std::uint32_t>(1, count_ / 200);
        std::size_t next_flush = 0;
        for (std::uint32_t i = 0; i < count_; ++i) {
            if (i % k_requests_between_stop_checks == 0) check_stop();
            if (follows_switches_ && next_switch_ < run_.start.switches.size()) follow_switch(i);
            if (options_.is_faithful && run_.early.contains(i)) map_early(i);
            if (next_flush < run_.flushes.size() && run_.flushes[next_flush].first == i) {
                repeat_flush(next_flush++);
            } else if (!event(i)) {
                break;
            }
            if (!waiting_.empty() && forced_.contains(i)) {
                for (const BlockHandle block : std::exchange(waiting_, {})) complete(block);
            }
            const Action action = run_.action(i);
            if (action == Action::alloc || action == Action::free_completed || action == Action::free_requested)
                out_.reserved_after[i] = model().reserved_bytes;
            if (model().peak_reserved_bytes > out_.peak_reserved_bytes) {
                out_.peak_reserved_bytes = model().peak_reserved_bytes;
                out_.peak_event = i;
            }
            if (i % every == 0) note_fragmentation(i);
        }
    }

    void note_fragmentation(std::uint32_t i) {
        out_.fragmentation.push_back(
            {i, model().reserved_bytes, model().allocated_bytes, rounded(model().fragmentation(), 4)});
    }

    /// Replays one event. Returns false if a request could not be served.
    bool event(std::uint32_t i) {
        const std::uint64_t address = run_.address(i);
        switch (run_.action(i)) {
            case Action::alloc: return alloc(i);
            case Action::free_requested:
                if (const auto found = out_.blocks.find(address); found == out_.blocks.end())
                    problem("free of an unknown block");
                else
                    model().release(found->second);
                break;
            case Action::free_completed: {
                const auto found = out_.blocks.find(address);
                if (found == out_.blocks.end()) {
                    problem("free of an unknown block");
                    break;
                }
                const BlockHandle block = found->second;
                out_.blocks.erase(found);
                const auto late = options_.is_faithful ? run_.late.end() : run_.late.find(i);
                if (late != run_.late.end() && forced_.contains(late->second))
                    waiting_.push_back(block);
                else
                    complete(block);
                break;
            }
            case Action::oom: failed_request(i); break;
            default: break;
        }
        return true;
    }

    void complete(BlockHandle block) {
        model().release(block);
        model().complete(block);
    }

    bool alloc(std::uint32_t i) {
        const std::uint64_t address = run_.address(i);
        if (const auto found = out_.blocks.find(address); found != out_.blocks.end()) {
            problem("alloc of an address that is still in use");
            complete(found->second);
            out_.blocks.erase(found);
        }
        if (has_hints()) {
            model().addresses().hints.clear();
            if (const auto wanted = run_.wanted.find(i); wanted != run_.wanted.end()) {
                for (const DriverEvent& grown : wanted->second) {
                    if (grown.call == Action::segment_alloc)
                        model().addresses().hints.emplace_back(grown.address, grown.size_bytes);
                }
            }
        }
        model().log.clear();
        const auto block = model().allocate(run_.size_bytes(i), run_.stream_of(i), run_.pool_of(i), retried_.contains(i));
        auto& log = model().log;
        if (!log.empty()) out_.predicted[i].insert(out_.predicted[i].end(), log.begin(), log.end());
        if (!block) {
            const AllocatorModel& now = model();
            out_.oom = {i,
                        run_.size_bytes(i),
                        now.reserved_bytes,
                        now.allocated_bytes,
                        now.reserved_bytes - now.active_bytes,
                        now.largest_free_bytes()};
            return false;
        }
        out_.blocks[address] = *block;
        out_.placed[i] = {model().block(*block).address, model().block(*block).segment};
        return true;
    }

    /// Tries a request that failed in the recording. If it is served, its block is freed at once.
    void failed_request(std::uint32_t i) {
        if (options_.is_faithful) return;
        const std::uint64_t size = run_.size_bytes(i);
        const std::uint64_t padding = model().settings().padding;
        model().log.clear();
        const auto block = model().allocate(size > padding ? size - padding : 0, run_.stream_of(i), run_.pool_of(i));
        out_.recorded_ooms.push_back({i, size, block ? std::optional(model().reserved_bytes) : std::nullopt});
        if (!model().log.empty()) out_.predicted[i] = model().log;
        if (block) complete(*block);
    }

    /// Repeats a recorded flush, at which the program emptied its cache or the card was full.
    void repeat_flush(std::size_t index) {
        if (options_.is_faithful && cause(index) == FlushCause::unknown && completed_run_ != nullptr)
            judge(completed_run_->flushes[index]);
        const RecordedFlush& flush = run_.flushes[index];
        const bool is_retry = cause(index) == FlushCause::retry;
        if (is_retry && !options_.is_faithful) return;  // the model itself decides when the card is full
        std::set<PoolId> owners;
        for (std::uint32_t i = flush.first; i < flush.end; ++i) owners.insert(run_.named_pool(i));
        model().freeable.insert(owners.begin(), owners.end());
        if (is_retry) retried_.insert(run_.request_after(flush.end));
        model().log.clear();
        const AllocatorSettings& settings = model().settings();
        const bool releases_parts = settings.gc_threshold > 0 || settings.max_split < k_unlimited_bytes;
        if (options_.is_faithful && releases_parts && is_retry) {
            for (std::uint32_t i = flush.first; i < flush.end; ++i)
                model().release_exactly(run_.address(i), run_.size_bytes(i));
        } else if (owners.contains(PoolId{}) || flush.empties_all_pools) {
            model().flush();
        } else {
            model().flush(owners);
        }
        out_.flush_results[flush.first] = model().log;
        model().log.clear();
    }

    /// Decides the cause of a flush without stacks. The card was full if the next request found no block in the cache and
    /// would have exceeded the recorded peak.
    void judge(RecordedFlush& flush) {
        flush.cause = FlushCause::user;
        flush.is_inferred = true;
        const std::uint32_t owner = run_.request_after(flush.end);
        if (owner == k_no_event) return;
        const AllocatorSettings& settings = model().settings();
        const std::uint64_t asked = run_.size_bytes(owner);
        const std::uint64_t padding = run_.action(owner) == Action::oom ? std::min(asked, settings.padding) : 0;
        const std::uint64_t size = settings.rounded(asked - padding);
        if (model().cached(size, run_.stream_of(owner), run_.pool_of(owner)) != nullptr) return;
        const std::uint64_t need = settings.expandable ? asked : settings.segment_bytes(size);
        if (model().reserved_bytes + need > run_.recorded_peak) flush.cause = FlushCause::retry;
    }

    void follow_switch(std::uint32_t i) {
        if (options_.is_faithful && completed_run_ != nullptr)
            find_switch_event(i, completed_run_->start.switches[next_switch_]);
        const ExpandableSwitch& next = run_.start.switches[next_switch_];
        if (next.event != i) return;
        set_expandable(next.is_on);
        ++next_switch_;
    }

    /// Finds the event at which the program switched expandable segments: the first request whose address only the new
    /// setting explains.
    void find_switch_event(std::uint32_t i, ExpandableSwitch& next) {
        if (i < next.earliest_event || i >= next.event || run_.action(i) != Action::alloc || run_.pool_of(i) != PoolId{})
            return;
        const std::uint64_t size = model().settings().rounded(run_.size_bytes(i));
        const ModelBlock* now = model().cached(size, run_.stream_of(i), {});
        set_expandable(next.is_on);
        const ModelBlock* then = model().cached(size, run_.stream_of(i), {});
        set_expandable(!next.is_on);
        if (then == nullptr || then->address != run_.address(i)) return;
        if (now != nullptr && now->address == run_.address(i) && !shows_split(i, *then, size, next.is_on)) return;
        next = {i, next.is_on, i};
    }

    /// True if the memory behind a native block shows which setting was in force. With expandable segments, even a small
    /// rest of a native block is split off, so a later block begins there.
    bool shows_split(std::uint32_t i, const ModelBlock& block, std::uint64_t size, bool is_on) {
        const std::uint64_t rest = block.size_bytes - size;
        if (block.is_expandable() || block.pool->is_small || rest < k_min_block_bytes || rest > k_max_unsplit_rest_bytes)
            return false;
        if (!block_ends_) block_ends_.emplace(run_);
        const auto behind = block_ends_->next(i, run_.address(i) + size, run_.address(i) + block.size_bytes);
        return behind && is_on == (*behind == run_.address(i) + size);
    }

    /// Maps pages that a request mapped before the card turned out to be full.
    void map_early(std::uint32_t i) {
        model().log.clear();
        model().map_exactly(run_.address(i), run_.size_bytes(i));
        auto& made = out_.predicted[run_.owner[i]];
        made.insert(made.end(), model().log.begin(), model().log.end());
    }

    const RecordedRun& run_;
    RecordedRun* completed_run_;
    ReplayOptions options_;
    ReplayResult out_;
    std::set<std::uint32_t> forced_;
    std::set<std::uint32_t> retried_;  ///< Requests that have already searched the cache and flushed it
    std::optional<BlockEnds> block_ends_;
    bool follows_switches_ = false;
    std::size_t next_switch_ = 1;  ///< Index of the next switch; the first one describes the setting at the beginning
    std::vector<BlockHandle> waiting_;
    std::uint32_t count_ = 0;
};

}  // namespace

const char* replay_mode_name(ReplayMode mode) { return mode == ReplayMode::carried ? "carried" : "rebuilt"; }

bool ReplayFigures::fits() const {
    return start_fits && !oom &&
           std::ranges::all_of(recorded_ooms, [](const RetriedOom& it) { return it.reserved_with_it_bytes.has_value(); });
}

ReplayResult replay(RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options) {
    return ReplayLoop(run, &run, settings, options).replay_all();
}

ReplayResult replay(const RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options) {
    return ReplayLoop(run, nullptr, settings, options).replay_all();
}

}  // namespace snapviewer::replay
