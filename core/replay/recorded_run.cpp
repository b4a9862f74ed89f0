#include "core/replay/recorded_run.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/context.h"
#include "core/base/hash.h"

namespace snapviewer::replay {
namespace {

constexpr std::uint64_t k_max_size_bytes = std::uint64_t{1} << 44;  // larger than any real request or segment
constexpr std::uint64_t k_max_address = std::uint64_t{1} << 62;

/// Rejects addresses and sizes so large that later sums could overflow.
void check_bounds(const Snapshot& snapshot, const DeviceTrace& trace) {
    const Failure beyond{
        {ErrorCode::bad_file, "has addresses or sizes larger than on any device, which cannot be replayed"}};
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const bool is_beyond = trace.events.has_address(i) && trace.events.address[i] > k_max_address;
        if (trace.events.size_bytes[i] > k_max_size_bytes || is_beyond) throw beyond;
    }
    for (const Segment& segment : snapshot.segments) {
        if (segment.device == trace.device && (segment.total_bytes > k_max_size_bytes || segment.address > k_max_address))
            throw beyond;
    }
}

bool stack_says(const Snapshot& snapshot, StackId stack, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(snapshot.stacks.stack(stack), [&](FrameId frame) {
        const std::string_view name = snapshot.strings.view(snapshot.stacks.frame(frame).function);
        return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; });
    });
}

std::vector<RecordedFlush> find_flushes(const Snapshot& snapshot, const DeviceTrace& trace) {
    const EventColumns& events = trace.events;
    const auto count = static_cast<std::uint32_t>(events.size());
    std::vector<RecordedFlush> found;
    for (std::uint32_t i = 0; i < count;) {
        if (!is_shrinkage(events.action[i])) {
            ++i;
            continue;
        }
        std::uint32_t end = i;
        while (end < count && is_shrinkage(events.action[end])) ++end;
        RecordedFlush flush{i, end};
        const StackId stack = events.stack[i];
        const bool has_stack = stack.is_some() && !snapshot.stacks.stack(stack).empty();
        const bool leads_on = end < count && (is_growth(events.action[end]) || events.action[end] == Action::oom);
        if (has_stack && stack_says(snapshot, stack, {"empty_cache", "emptyCache"})) {
            flush.cause = FlushCause::user;
            flush.empties_all_pools = !stack_says(snapshot, stack, {"~MemPool"});
        } else if (has_stack && leads_on && events.stack[end] == stack)
            flush.cause = FlushCause::retry;
        found.push_back(flush);
        i = end;
    }
    return found;
}

/// Computes RecordedRun::late: the delayed frees that completed only because the card was full. Their events precede the
/// flush or the oom, but the frees were completed inside the request that waited.
std::map<std::uint32_t, std::uint32_t> find_late(const RecordedRun& run) {
    std::map<std::uint32_t, std::uint32_t> late;
    const auto before = [&](std::uint32_t first, std::uint32_t end) {
        const std::uint32_t owner = run.request_after(end);
        for (std::uint32_t i = first; owner != k_no_event && i-- > 0;) {
            if (run.action(i) != Action::free_completed) break;
            const bool was_at_once =
                i > 0 && run.action(i - 1) == Action::free_requested && run.address(i - 1) == run.address(i);
            if (was_at_once) break;
            late[i] = owner;
        }
    };
    for (const RecordedFlush& flush : run.flushes) before(flush.first, flush.end);
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        if (run.action(i) == Action::oom) before(i, i);
    }
    return late;
}

std::set<std::uint32_t> find_early(const RecordedRun& run) {
    std::set<std::uint32_t> early;
    for (const RecordedFlush& flush : run.flushes) {
        // Pages that a request mapped before its flush directly precede the flush. Only completed frees may come between.
        for (std::uint32_t i = flush.first; i-- > 0;) {
            if (run.action(i) != Action::free_completed && run.action(i) != Action::segment_map) break;
            if (run.action(i) == Action::segment_map && run.owner[i] != k_no_event && run.owner[i] > flush.first)
                early.insert(i);
        }
    }
    return early;
}

/// The private pool of each alloc and oom. An event's own pool applies first, otherwise the pool of the recorded segment
/// that contains the alloc. An alloc from before that segment's allocation was in an earlier segment at the same address,
/// which the file no longer contains, so its pool is unknown.
std::map<std::uint32_t, PoolId> find_private_pools(const RecordedRun& run) {
    std::map<std::uint64_t, std::uint32_t> allocated_at;
    for (std::uint32_t i = 0; i < run.event_count(); ++i)
        if (run.action(i) == Action::segment_alloc) allocated_at[run.address(i)] = i;
    SegmentIndex segments(*run.snapshot, run.trace->device);
    const auto pool_at = [&](std::uint32_t event) {
        const Segment* segment = segments.find(run.address(event));
        if (segment == nullptr || !is_private_pool(*run.snapshot, segment->pool)) return PoolId{};
        const auto allocated = allocated_at.find(segment->address);
        const bool is_older = allocated != allocated_at.end() && event < allocated->second;
        return is_older ? PoolId{} : pool_id(*run.snapshot, segment->pool);
    };
    std::map<std::uint32_t, PoolId> found;
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        if (run.action(i) != Action::alloc && run.action(i) != Action::oom) continue;
        const bool is_named = run.trace->events.pool[i] != k_no_pool || run.action(i) == Action::oom;
        const PoolId pool = is_named ? run.named_pool(i) : pool_at(i);
        if (pool != PoolId{}) found.emplace(i, pool);
    }
    return found;
}

/// Computes the reserved memory after each event, and the segment that contains each alloc.
void follow_reserved(RecordedRun& run) {
    std::multiset<std::uint64_t> bases;
    for (const StartRegion& region : run.start.regions) bases.insert(region.base);
    for (const auto& [key, row] : run.start.later_bases) bases.insert(row.begin(), row.end());
    std::uint64_t now = run.start.reserved_bytes;
    run.recorded_peak = now;
    run.reserved_after.reserve(run.event_count());
    run.home.assign(run.event_count(), k_unlimited_bytes);
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        const Action action = run.action(i);
        if (is_growth(action)) now += run.size_bytes(i);
        if (is_shrinkage(action)) now -= run.size_bytes(i);
        if (action == Action::segment_alloc) bases.insert(run.address(i));
        if (action == Action::segment_free) {
            if (const auto at = bases.find(run.address(i)); at != bases.end()) bases.erase(at);
        }
        if (action == Action::alloc) {
            const auto above = bases.upper_bound(run.address(i));
            if (above != bases.begin()) run.home[i] = *std::prev(above);
        }
        // Compares as signed numbers, because reserved memory falls below 0 in damaged recordings.
        if (static_cast<std::int64_t>(now) > static_cast<std::int64_t>(run.recorded_peak)) run.recorded_peak = now;
        run.reserved_after.push_back(now);
    }
}

std::uint64_t top_of(const RecordedRun& run) {
    std::uint64_t top = 0;
    for (const Segment& segment : run.snapshot->segments) {
        if (segment.device == run.trace->device) top = std::max(top, segment.address + segment.total_bytes);
    }
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        if (run.action(i) != Action::oom && run.address(i) != 0) top = std::max(top, run.address(i) + run.size_bytes(i));
    }
    return top;
}

/// Computes RecordedRun::owner.
std::vector<std::uint32_t> owners_of_growth(const DeviceTrace& trace) {
    const EventColumns& events = trace.events;
    std::vector<std::uint32_t> owner(events.size(), k_no_event);
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> alloc_at;
    std::uint32_t later = k_no_event;
    for (auto i = static_cast<std::uint32_t>(events.size()); i-- > 0;) {
        switch (events.action[i]) {
            case Action::alloc:
                later = i;
                alloc_at[events.address[i]] = i;
                break;
            case Action::oom: later = i; break;
            case Action::segment_map: owner[i] = later; break;
            case Action::segment_alloc: {
                const auto found = alloc_at.find(events.address[i]);
                owner[i] = found == alloc_at.end() ? later : found->second;
                break;
            }
            default: break;
        }
    }
    return owner;
}

}  // namespace

CardBounds card_bounds(const RecordedRun& run) {
    CardBounds card;
    card.at_least = run.recorded_peak;
    for (const RecordedFlush& flush : run.flushes) {
        if (flush.cause != FlushCause::retry || flush.end >= run.event_count()) continue;
        const std::uint64_t before = flush.first > 0 ? run.reserved_after[flush.first - 1] : run.start.reserved_bytes;
        std::uint64_t need = run.size_bytes(flush.end);
        if (run.action(flush.end) == Action::oom && !run.settings.expandable) need = run.settings.segment_bytes(need);
        card.less_than = std::min(card.less_than.value_or(k_unlimited_bytes), before + need);
    }
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        if (run.action(i) != Action::oom) continue;
        // The address of an oom event is the number of free bytes.
        const std::uint64_t limit = run.reserved_after[i] + run.address(i);
        card.exactly = std::min(card.exactly.value_or(limit), limit);
    }
    return card;
}

RecordedRun read_recorded_run(const Snapshot& snapshot, const DeviceTrace& trace) {
    check_bounds(snapshot, trace);
    RecordedRun run;
    run.snapshot = &snapshot;
    run.trace = &trace;
    run.settings = recorded_allocator_settings(snapshot, trace);
    run.owner = owners_of_growth(trace);
    run.start = replay_start(run);
    run.flushes = find_flushes(snapshot, trace);
    run.top = top_of(run);
    run.late = find_late(run);
    run.early = find_early(run);
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        if (!is_growth(run.action(i))) continue;
        if (run.owner[i] == k_no_event)
            ++run.unowned;
        else
            run.wanted[run.owner[i]].push_back({run.action(i), run.address(i), run.size_bytes(i)});
    }
    run.private_pool = find_private_pools(run);
    follow_reserved(run);
    return run;
}

}  // namespace snapviewer::replay
