#include "core/analysis/replay/replay_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/analysis/rounded.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_unknown_card = std::uint64_t{1} << 40;
constexpr std::uint32_t k_requests_between_stops = 256;

using Blocks = decltype(ReplayResult::blocks);

/// Puts the recorded start into an empty model.
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

    /// False where the live blocks do not fit.
    bool rebuild() {
        for (const auto& [address, block] : start_.live) {
            const auto above = std::ranges::upper_bound(start_.regions, address, {}, &StartRegion::base);
            const StartRegion& region = *std::prev(above);
            const auto made = model_.allocate(block.asked_bytes, region.stream, region.pool);
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

    /// The mapped and unmapped stretches of a region.
    std::vector<Run> runs_of(const StartRegion& region) const {
        if (region.is_native()) return {{region.base, region.end(), true}};
        const std::uint64_t capacity = model_.settings().capacity;
        const std::uint64_t card = capacity > 0 ? capacity : k_unknown_card;
        std::uint64_t size = std::min(round_up_to(card + card / 8, region.page), model_.addresses().room_above(region.base));
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
        ModelPool& pool = model_.pool(region.pool, region.is_small);
        std::vector<std::uint32_t> chain;
        const auto push = [&](std::uint64_t address, std::uint64_t size, bool is_mapped) {
            chain.push_back(model_.add_block({.address = address,
                                              .size_bytes = size,
                                              .stream = region.stream,
                                              .segment = region.base,
                                              .page = region.page,
                                              .pool = &pool,
                                              .is_mapped = is_mapped}));
        };
        std::vector<std::pair<std::size_t, std::uint64_t>> held;  // place in the chain, address
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
                push(live->first, std::min(live->second.size_bytes, run.end - live->first), run.is_mapped);
                at = live->first + std::min(live->second.size_bytes, run.end - live->first);
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

class ReplayLoop {
public:
    /// `judged`: where the causes of flushes without stacks are to be settled; null where they are.
    ReplayLoop(const RecordedRun& run, std::vector<RecordedFlush>* judged, const AllocatorSettings& settings,
               const ReplayOptions& options, const Progress* progress)
        : run_(run), judged_(judged), options_(options), progress_(progress) {
        AddressSource addresses(run.top, options.order);
        addresses.bounds = run.start.bounds;
        if (has_hints()) addresses.bases = run.start.later_bases;
        out_.model = std::make_unique<AllocatorModel>(settings, std::move(addresses));
    }

    Result<ReplayResult> go() {
        begin();
        if (out_.start_fits) {
            out_.start_reserved_bytes = seen_peak_ = model().reserved_bytes;
            const std::uint64_t driver_allocs_before = model().driver_allocs;
            if (const Status done = follow(); !done) return done.error();
            out_.driver_allocs = model().driver_allocs - driver_allocs_before;
        }
        return std::move(out_);
    }

private:
    AllocatorModel& model() { return *out_.model; }
    bool has_hints() const { return options_.order == AddressOrder::recorded; }
    void problem(const char* name) { ++out_.problems[name]; }
    FlushCause cause(std::size_t flush) const { return (judged_ != nullptr ? *judged_ : run_.flushes)[flush].cause; }

    void begin() {
        StartBuilder builder(run_.start, model(), out_.blocks);
        if (options_.mode == ReplayMode::rebuilt) {
            out_.start_fits = builder.rebuild();
            return;
        }
        builder.carry();
        const std::uint64_t capacity = model().settings().capacity;
        if (capacity == 0 || model().reserved_bytes <= capacity) return;
        model().flush();
        model().log.clear();
        out_.start_fits = model().reserved_bytes <= capacity;
        model().peak_reserved_bytes = model().reserved_bytes;
    }

    /// Events of requests for which the card was full.
    void find_forced() {
        for (std::size_t i = 0; i < run_.flushes.size(); ++i) {
            const std::uint32_t end = run_.flushes[i].end;
            if (cause(i) != FlushCause::retry) continue;
            if (end >= run_.event_count()) continue;
            const bool is_growth = run_.action(end) == Action::segment_alloc || run_.action(end) == Action::segment_map;
            const std::uint32_t owner = is_growth ? run_.owner[end] : end;
            if (owner != k_no_event) forced_.insert(owner);
        }
        for (std::uint32_t i = 0; i < count_; ++i) {
            if (run_.action(i) == Action::oom) forced_.insert(i);
        }
    }

    Status follow() {
        count_ = std::min(options_.event_count, static_cast<std::uint32_t>(run_.event_count()));
        find_forced();
        out_.reserved_after.resize(count_);
        out_.placed.resize(count_);
        const std::uint32_t every = std::max<std::uint32_t>(1, count_ / 200);
        std::size_t next_flush = 0;
        for (std::uint32_t i = 0; i < count_; ++i) {
            if (i % k_requests_between_stops == 0 && must_stop(progress_)) return stopped();
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
            if (model().peak_reserved_bytes > seen_peak_) {
                seen_peak_ = model().peak_reserved_bytes;
                out_.peak_event = i;
            }
            if (i % every == 0) note_fragmentation(i);
            if (options_.checks_invariants && out_.broken_invariant.empty())
                out_.broken_invariant = model().broken_invariant();
        }
        return {};
    }

    void note_fragmentation(std::uint32_t i) {
        out_.fragmentation.push_back(
            {i, model().reserved_bytes, model().allocated_bytes, rounded(model().fragmentation(), 4)});
    }

    /// False once memory is out.
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
                    if (grown.call == DriverCall::segment_alloc)
                        model().addresses().hints.emplace_back(grown.address, grown.size_bytes);
                }
            }
        }
        model().log.clear();
        const auto block = model().allocate(run_.size_bytes(i), run_.stream_of(i), run_.pool_of(i));
        if (!model().log.empty()) out_.predicted[i] = model().log;
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

    /// An allocation that failed in the recording: would it fit here? If so it is given back at once.
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

    /// The program emptied its cache here, or the card was full.
    void repeat_flush(std::size_t index) {
        if (options_.is_faithful && cause(index) == FlushCause::unknown && judged_ != nullptr) judge((*judged_)[index]);
        const RecordedFlush& flush = run_.flushes[index];
        const bool is_retry = cause(index) == FlushCause::retry;
        if (is_retry && !options_.is_faithful) return;  // the model decides when its card is full
        for (std::uint32_t i = flush.first; i < flush.end; ++i) {
            const std::uint16_t pool = run_.trace->events.pool[i];
            if (pool != k_no_pool) model().freeable.insert(run_.snapshot->pools[pool]);
        }
        model().log.clear();
        const AllocatorSettings& settings = model().settings();
        const bool releases_parts = settings.gc_threshold > 0 || settings.max_split < k_unlimited_bytes;
        if (options_.is_faithful && releases_parts && is_retry) {
            for (std::uint32_t i = flush.first; i < flush.end; ++i)
                model().release_exactly(run_.address(i), run_.size_bytes(i));
        } else {
            model().flush();
        }
        out_.flush_results[flush.first] = model().log;
        model().log.clear();
    }

    /// Without stacks: the card was full if the next request found nothing in the cache and went beyond the peak.
    void judge(RecordedFlush& flush) {
        flush.cause = FlushCause::user;
        flush.is_inferred = true;
        if (flush.end >= run_.event_count()) return;
        const Action next = run_.action(flush.end);
        if (next != Action::segment_alloc && next != Action::segment_map && next != Action::oom) return;
        const std::uint32_t owner = next == Action::oom ? flush.end : run_.owner[flush.end];
        if (owner == k_no_event) return;
        const AllocatorSettings& settings = model().settings();
        const std::uint64_t asked = run_.size_bytes(owner);
        const std::uint64_t padding = run_.action(owner) == Action::oom ? std::min(asked, settings.padding) : 0;
        const std::uint64_t size = settings.rounded(asked - padding);
        if (model().has_cached(size, run_.stream_of(owner), run_.pool_of(owner))) return;
        const std::uint64_t need = settings.expandable ? asked : settings.segment_bytes(size);
        if (model().reserved_bytes + need > run_.recorded_peak) flush.cause = FlushCause::retry;
    }

    const RecordedRun& run_;
    std::vector<RecordedFlush>* judged_;
    ReplayOptions options_;
    const Progress* progress_;
    ReplayResult out_;
    std::set<std::uint32_t> forced_;
    std::vector<BlockHandle> waiting_;
    std::uint32_t count_ = 0;
    std::uint64_t seen_peak_ = 0;
};

}  // namespace

const char* replay_mode_name(ReplayMode mode) { return mode == ReplayMode::carried ? "carried" : "rebuilt"; }

bool ReplayResult::fits() const {
    return start_fits && !oom &&
           std::ranges::all_of(recorded_ooms, [](const RetriedOom& it) { return it.reserved_with_it_bytes.has_value(); });
}

Result<ReplayResult> replay(RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options,
                            const Progress* progress) {
    return ReplayLoop(run, &run.flushes, settings, options, progress).go();
}

Result<ReplayResult> replay(const RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options,
                            const Progress* progress) {
    return ReplayLoop(run, nullptr, settings, options, progress).go();
}

}  // namespace snapviewer
