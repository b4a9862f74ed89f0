#include "core/replay/replay_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/number_text.h"

namespace snapviewer {
namespace {

// Thresholds of agreement for answers about other settings. If a replay missed them, such answers were found to be wrong.
constexpr double k_min_events_share = 0.98;
constexpr double k_max_curve_share = 0.01;
constexpr double k_min_placed_share = 0.98;
constexpr double k_max_lost_share = 0.005;

double agreeing_share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The calls of a request that grew memory.
std::vector<DriverEvent> growth_of_request(const ReplayResult& result, std::uint32_t event) {
    std::vector<DriverEvent> growth;
    if (const auto made = result.predicted.find(event); made != result.predicted.end())
        std::ranges::copy_if(made->second, std::back_inserter(growth), [](const auto& it) { return is_growth(it.call); });
    return growth;
}

EventMatch match_growth(const RecordedRun& run, const ReplayResult& result) {
    EventMatch match;
    match.recorded = run.unowned;
    for (const auto& [event, made] : result.predicted)
        match.predicted += static_cast<std::uint64_t>(std::ranges::count_if(made, is_growth, &DriverEvent::call));
    for (const auto& [event, wanted] : run.wanted) {
        match.recorded += wanted.size();
        std::vector<DriverEvent> left = growth_of_request(result, event);
        for (const DriverEvent& want : wanted) {
            const auto hit = std::ranges::find_if(
                left, [&](const DriverEvent& it) { return it.call == want.call && it.size_bytes == want.size_bytes; });
            if (hit == left.end()) continue;
            ++match.equal;
            if (hit->address == want.address) ++match.same_address;
            left.erase(hit);
        }
    }
    return match;
}

EventMatch match_frees(const RecordedRun& run, const ReplayResult& result) {
    EventMatch match;
    for (const RecordedFlush& flush : run.flushes) {
        std::set<DriverEvent> want;
        for (std::uint32_t i = flush.first; i < flush.end; ++i) {
            want.insert({run.action(i), run.address(i), run.size_bytes(i)});
        }
        std::set<DriverEvent> got;
        if (const auto made = result.flush_results.find(flush.first); made != result.flush_results.end()) {
            for (const DriverEvent& event : made->second) {
                if (!is_growth(event.call)) got.insert(event);
            }
        }
        match.recorded += flush.end - flush.first;
        match.predicted += got.size();
        match.equal +=
            static_cast<std::uint64_t>(std::ranges::count_if(want, [&](const auto& it) { return got.contains(it); }));
    }
    return match;
}

/// Sizes of the segments that each request forced out of the cache, sorted, by event of the request.
std::map<std::uint32_t, std::vector<std::uint64_t>> forced_releases(const RecordedRun& run) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> wanted;
    for (const RecordedFlush& flush : run.flushes) {
        if (flush.cause != FlushCause::retry) continue;
        std::vector<std::uint64_t> sizes;
        for (std::uint32_t i = flush.first; i < flush.end; ++i) sizes.push_back(run.size_bytes(i));
        std::ranges::sort(sizes);
        wanted[run.request_after(flush.end)] = std::move(sizes);
    }
    return wanted;
}

std::optional<CardCheck> check_card(const RecordedRun& run) {
    const CardBounds card = card_bounds(run);
    const bool was_full = std::ranges::any_of(run.flushes, [](const auto& it) { return it.cause == FlushCause::retry; });
    const std::uint64_t exactly = card.exactly.value_or(0);
    const std::uint64_t limit = exactly > 0 ? exactly : was_full ? card.at_least : 0;
    // Garbage collection depends on a limit that is not in the file, so the card cannot be checked.
    if (limit == 0 || run.settings.gc_threshold > 0) return std::nullopt;
    AllocatorSettings settings = run.settings;
    settings.capacity = limit;
    const auto result = replay(run, settings, {});
    CardCheck check;
    check.capacity_bytes = limit;
    check.start_fits = result.start_fits;
    if (!check.start_fits) return check;
    const auto wanted = forced_releases(run);
    std::map<std::uint32_t, std::vector<std::uint64_t>> made;
    for (const auto& [event, log] : result.predicted) {
        std::vector<std::uint64_t> sizes;
        for (const DriverEvent& it : log) {
            if (!is_growth(it.call)) sizes.push_back(it.size_bytes);
        }
        std::ranges::sort(sizes);
        if (!sizes.empty()) made[event] = std::move(sizes);
    }
    check.flushes = wanted.size();
    check.flushes_made = made.size();
    for (const auto& [event, sizes] : wanted) {
        const auto found = made.find(event);
        if (found != made.end() && found->second == sizes) ++check.flushes_equal;
    }
    std::set<std::uint32_t> failed;
    for (const RetriedOom& oom : result.recorded_ooms) {
        if (!oom.reserved_with_it_bytes) failed.insert(oom.event);
    }
    if (result.oom) failed.insert(result.oom->event);
    check.ooms_made = failed.size();
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        if (run.action(i) != Action::oom) continue;
        ++check.ooms;
        if (failed.contains(i)) ++check.ooms_equal;
    }
    check.growth = match_growth(run, result);
    return check;
}

void compare_curve(const RecordedRun& run, const ReplayResult& result, ReplayAgreement& out) {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < result.reserved_after.size(); ++i) {
        if (!result.reserved_after[i]) continue;
        const std::uint64_t ours = *result.reserved_after[i];
        const std::uint64_t theirs = run.reserved_after[i];
        const auto difference = static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(ours - theirs)));
        out.curve_max_bytes = std::max(out.curve_max_bytes, difference);
        sum += difference;
        ++count;
    }
    out.curve_mean_bytes = count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
    out.curve_max_share =
        static_cast<double>(out.curve_max_bytes) / static_cast<double>(std::max<std::uint64_t>(run.recorded_peak, 1));
}

void compare_places(const RecordedRun& run, const ReplayResult& result, ReplayAgreement& out) {
    std::uint64_t in_segment = 0;
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        if (run.action(i) != Action::alloc) continue;
        ++out.requests;
        if (i >= result.placed.size() || result.placed[i].address == k_unlimited_bytes) continue;
        if (result.placed[i].address == run.address(i)) ++out.placed;
        if (result.placed[i].segment == run.home[i]) ++in_segment;
    }
    out.placed_share = agreeing_share(out.placed, out.requests);
    out.in_segment_share = agreeing_share(in_segment, out.requests);
}

void compare_end(const RecordedRun& run, const ReplayResult& result, ReplayAgreement& out) {
    for (const Segment& segment : run.snapshot->segments) {
        if (segment.device == run.trace->device) out.final_recorded_bytes += segment.total_bytes;
    }
    out.final_replayed_bytes = result.final_reserved_bytes;
    out.peak_replayed_bytes = result.peak_reserved_bytes;
    out.end_blocks = run.start.final_live.size();
    for (const auto& [address, block] : result.blocks) {
        const auto found = run.start.final_live.find(address);
        if (found == run.start.final_live.end())
            ++out.end_blocks;
        else if (found->second == result.model->block(block).size_bytes)
            ++out.end_blocks_same;
    }
}

void judge(const RecordedRun& run, ReplayAgreement& out) {
    for (const auto& [name, count] : out.problems) {
        // Blocks without a recorded free make the start uncertain, unless no memory was held at the start.
        if (name != k_never_freed || !run.start.regions.empty()) out.lost += count;
    }
    if (out.requests == 0) out.reasons.emplace_back("the trace holds no allocation");
    if (out.event_agreement < k_min_events_share)
        out.reasons.push_back(fmt::format("only {:.1f} % of the segment events are reproduced", 100 * out.event_agreement));
    if (out.curve_max_share > k_max_curve_share)
        out.reasons.push_back(
            fmt::format("reserved memory differs by up to {:.1f} % of its peak", 100 * out.curve_max_share));
    if (out.placed_share < k_min_placed_share)
        out.reasons.push_back(
            fmt::format("only {:.1f} % of the allocations land at the recorded address", 100 * out.placed_share));
    if (static_cast<double>(out.lost) > k_max_lost_share * static_cast<double>(out.requests))
        out.reasons.push_back(counted(out.lost, "contradiction") + ": events are missing");
}

/// Facts that the model would need and the file lacks.
std::vector<std::string> missing_facts(const RecordedRun& run) {
    std::set<std::uint64_t> at_end;
    for (const Segment& segment : run.snapshot->segments) {
        if (segment.device == run.trace->device) at_end.insert(segment.address);
    }
    bool is_gone = false;
    bool has_segment_event = false;
    bool has_pools = false;
    for (std::uint32_t i = 0; i < run.event_count(); ++i) {
        const Action action = run.action(i);
        is_gone = is_gone || is_shrinkage(action) || (action == Action::segment_alloc && !at_end.contains(run.address(i)));
        has_segment_event = has_segment_event || is_segment_event(action);
        has_pools = has_pools || run.trace->events.pool[i] != k_no_pool;
    }
    const auto& live = run.start.live;
    std::vector<std::string> out;
    if (is_gone && !has_pools)
        out.emplace_back("the pools of segments that were gone at the end, which events tell since PyTorch 2.12");
    if (run.trace->requests_are_frees)
        out.emplace_back("when blocks that were given back became free, as free_completed was not recorded");
    if (std::ranges::any_of(live, [](const auto& it) { return it.second.is_guess; }))
        out.emplace_back("the sizes of some blocks from before the recording");
    if (run.event_count() > 0 && !has_segment_event)
        out.emplace_back("whether segments were allocated, as there is no such event");
    return out;
}

/// Sorted pairs of kind and size of the calls that grew memory.
std::vector<std::pair<Action, std::uint64_t>> kinds_and_sizes(const std::vector<DriverEvent>& growth) {
    std::vector<std::pair<Action, std::uint64_t>> out;
    for (const DriverEvent& event : growth) out.emplace_back(event.call, event.size_bytes);
    std::ranges::sort(out);
    return out;
}

std::optional<ReplayDifference> first_difference(const RecordedRun& run, const ReplayResult& result) {
    for (std::uint32_t i = 0; i < result.placed.size(); ++i) {
        if (run.action(i) != Action::alloc || result.placed[i].address == k_unlimited_bytes) continue;
        const auto wanted = run.wanted.find(i);
        const auto recorded =
            wanted == run.wanted.end() ? std::vector<std::pair<Action, std::uint64_t>>() : kinds_and_sizes(wanted->second);
        const auto replayed = kinds_and_sizes(growth_of_request(result, i));
        if (recorded != replayed || result.placed[i].address != run.address(i))
            return ReplayDifference{i, run.size_bytes(i), !recorded.empty(), !replayed.empty()};
    }
    return std::nullopt;
}

}  // namespace

bool CardCheck::is_reproduced() const {
    return start_fits && flushes == flushes_made && flushes_made == flushes_equal && ooms == ooms_made &&
           ooms_made == ooms_equal;
}

ReplayAgreement measure_agreement(RecordedRun& run) {
    const auto result = replay(run, run.settings, {.is_faithful = true});
    ReplayAgreement out;
    out.growth = match_growth(run, result);
    out.frees = match_frees(run, result);
    const std::uint64_t equal = out.growth.equal + out.frees.equal;
    out.event_agreement =
        agreeing_share(equal, out.growth.recorded + out.frees.recorded + out.growth.predicted + out.frees.predicted - equal);
    compare_places(run, result, out);
    compare_curve(run, result, out);
    compare_end(run, result, out);
    out.problems = run.start.problems;
    for (const auto& [name, count] : result.problems) out.problems[name] = count;
    out.card = check_card(run);
    judge(run, out);
    if (!out.is_usable()) out.missing_facts = missing_facts(run);
    out.first_difference = first_difference(run, result);
    return out;
}

}  // namespace snapviewer
