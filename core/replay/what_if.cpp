#include "core/replay/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <set>
#include <thread>

#include "core/base/context.h"
#include "core/base/text.h"

namespace snapviewer::replay {
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

constexpr std::array k_modes = {ReplayMode::carried, ReplayMode::rebuilt};
constexpr std::array k_orders = {AddressOrder::recorded, AddressOrder::up, AddressOrder::down};

/// Runs tasks in parallel. Rethrows the exception of the first task in the list that threw one.
void run_all(const std::vector<std::function<void()>>& tasks) {
    std::vector<std::exception_ptr> thrown(tasks.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&, context = Context::current()] {
        const ContextScope scope(context);
        for (std::size_t i = next++; i < tasks.size(); i = next++) {
            try {
                tasks[i]();
            } catch (...) {
                thrown[i] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t threads = std::min<std::size_t>(tasks.size(), std::max(1U, std::thread::hardware_concurrency()));
        for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
        work();
    }
    for (const std::exception_ptr& one : thrown) {
        if (one) std::rethrow_exception(one);
    }
}

/// The part of a replay's result that is kept.
struct Outcome {
    bool fits = false;
    std::optional<std::uint64_t> peak_reserved_bytes;
};

Outcome outcome_of(const ReplayFigures& figures) {
    return {figures.fits(), figures.start_fits ? std::optional(figures.peak_reserved_bytes) : std::nullopt};
}

/// Runs the replay whose details are reported, and repeats it up to its peak to get the segments at the peak.
WhatIfMode reported_run(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode) {
    WhatIfMode out{replay(run, settings, {.mode = mode}), {}, {}};
    if (!out.start_fits) return out;
    const std::uint32_t until = out.peak_event ? *out.peak_event + 1 : 0;
    out.segments_at_peak = replay(run, settings, {.mode = mode, .event_count = until}).model->segments();
    return out;
}

WhatIfVerdict verdict_of(const std::array<std::array<Outcome, k_orders.size()>, k_modes.size()>& outcomes) {
    std::set<bool> verdicts;
    for (const auto& row : outcomes) {
        for (const Outcome& outcome : row) verdicts.insert(outcome.fits);
    }
    if (verdicts.size() > 1) return WhatIfVerdict::undetermined;
    return *verdicts.begin() ? WhatIfVerdict::fits : WhatIfVerdict::does_not_fit;
}

/// True if the new settings start with less memory than `carried`, and `carried` does not have the lower peak.
bool is_upper_bound(const WhatIfMode& carried, const WhatIfMode& rebuilt) {
    return carried.start_fits && rebuilt.start_fits && rebuilt.start_reserved_bytes < carried.start_reserved_bytes &&
           rebuilt.peak_reserved_bytes <= carried.peak_reserved_bytes;
}

/// Sets the settings and the capacity with its source, and checks whether there can be an answer.
void begin_answer(const ReplayBasis& basis, const ReplayQuestion& question, ReplayAnswer& out) {
    out.settings = basis.run.settings;
    bool is_capacity_given = false;
    for (const auto& [name, value] : question.settings) {
        throw_if_error(change_setting(out.settings, name, value));
        is_capacity_given = is_capacity_given || name == "capacity_bytes";
    }
    const bool was_full =
        std::ranges::any_of(basis.run.flushes, [](const auto& flush) { return flush.cause == FlushCause::retry; });
    if (is_capacity_given) {
        out.capacity_from = "given";
    } else if (basis.card.exactly.value_or(0) > 0 || was_full) {
        out.settings.capacity = basis.card.exactly.value_or(0) > 0 ? *basis.card.exactly : basis.card.at_least;
        out.capacity_from = "recording";
    }
    out.refused = basis.agreement.reasons;
    if (out.settings.capacity > 0 && basis.agreement.card && !basis.agreement.card->is_reproduced())
        out.refused.emplace_back("the full card of the recording is not reproduced");
}

std::optional<std::array<oom::ExpandableRun, 2>> runs_of(const WhatIf& answer) {
    std::array<oom::ExpandableRun, 2> runs;
    for (std::size_t m = 0; m < runs.size(); ++m) {
        const WhatIfMode& mode = answer.modes[m];
        const auto& recorded_peak = answer.peak_as_recorded_bytes[m];
        if (!mode.start_fits || !recorded_peak) return std::nullopt;
        runs[m] = {*recorded_peak, mode.peak_reserved_bytes, {}};
        for (const RetriedOom& oom : mode.recorded_ooms) {
            if (oom.reserved_with_it_bytes) runs[m].reserved_with_request[oom.event] = *oom.reserved_with_it_bytes;
        }
    }
    return runs;
}

using AllocationsByAddress = std::unordered_map<std::uint64_t, AllocationId, KeyedHash>;

AllocationsByAddress allocations_of(const space::AddressMoment& recorded) {
    AllocationsByAddress found;
    for (const auto* blocks : {&recorded.blocks, &recorded.outside}) {
        for (const space::AddressMoment::Block& block : *blocks) found.emplace(block.address, block.allocation);
    }
    return found;
}

/// The allocation of each block in the model, by the block's address in the model.
AllocationsByAddress owners_of_blocks(const ReplayResult& result, const space::AddressMoment& recorded) {
    const AllocationsByAddress allocations = allocations_of(recorded);
    AllocationsByAddress owners;
    for (const auto& [address, handle] : result.blocks) {
        const ModelBlock& block = result.model->block(handle);
        const auto found = allocations.find(address);
        if (block.serial == handle.serial && found != allocations.end()) owners.emplace(block.address, found->second);
    }
    return owners;
}

space::RangeTraits traits_of(const ModelBlock& block, const Snapshot& snapshot) {
    const auto index_of = [](const auto& list, const auto& value) {
        return static_cast<std::size_t>(std::ranges::find(list, value) - list.begin());
    };
    space::RangeTraits traits;
    traits.stream = static_cast<decltype(traits.stream)>(index_of(snapshot.streams, block.stream));
    const std::size_t pool = index_of(snapshot.pools, block.pool->id);
    traits.pool =
        pool < snapshot.pools.size() ? static_cast<std::uint16_t>(pool) : space::PoolNames(snapshot).default_pool();
    traits.is_small = block.pool->is_small;
    traits.is_expandable = block.is_expandable();
    return traits;
}

/// Builds the moment from blocks in the order of addresses. Adjacent mapped blocks of one segment form one range, as
/// adjacent mapped pages do.
space::AddressMoment moment_of(const std::vector<ModelBlock>& blocks, const AllocationsByAddress& owners,
                               const Snapshot& snapshot) {
    space::AddressMoment moment;
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
        space::AddressMoment::Range& range = moment.ranges.back();
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

const char* what_if_verdict_name(WhatIfVerdict verdict) {
    constexpr std::array k_names = {"no card size known", "fits", "does not fit", "cannot be told"};
    return k_names[static_cast<std::size_t>(verdict)];
}

const char* what_if_verdict_words(WhatIfVerdict verdict) {
    return verdict == WhatIfVerdict::undetermined ? "depends on the addresses" : what_if_verdict_name(verdict);
}

WhatIf what_if(const RecordedRun& run, const AllocatorSettings& settings) {
    WhatIf out;
    std::array<std::array<Outcome, k_orders.size()>, k_modes.size()> outcomes;
    std::array<Outcome, k_modes.size()> as_recorded;
    AllocatorSettings recorded = run.settings;
    recorded.capacity = settings.capacity;
    std::vector<std::function<void()>> tasks;
    for (std::size_t m = 0; m < k_modes.size(); ++m) {
        tasks.emplace_back([&, m] {
            out.modes[m] = reported_run(run, settings, k_modes[m]);
            outcomes[m][0] = outcome_of(out.modes[m]);
        });
        for (std::size_t o = 1; o < k_orders.size(); ++o) {
            tasks.emplace_back([&, m, o] {
                outcomes[m][o] = outcome_of(replay(run, settings, {.mode = k_modes[m], .order = k_orders[o]}));
            });
        }
        tasks.emplace_back([&, m] { as_recorded[m] = outcome_of(replay(run, recorded, {.mode = k_modes[m]})); });
    }
    run_all(tasks);
    for (std::size_t m = 0; m < k_modes.size(); ++m) {
        out.peak_as_recorded_bytes[m] = as_recorded[m].peak_reserved_bytes;
        for (const Outcome& outcome : outcomes[m]) {
            if (!outcome.peak_reserved_bytes) continue;
            const std::uint64_t peak = *outcome.peak_reserved_bytes;
            auto& range = out.modes[m].peak_range;
            range = range ? std::pair(std::min(range->first, peak), std::max(range->second, peak)) : std::pair(peak, peak);
        }
    }
    // follows_switches is the only field that is not a setting of PyTorch, so it must not count as a change.
    recorded.follows_switches = settings.follows_switches;
    out.carried_is_upper_bound = settings != recorded && is_upper_bound(out.modes[0], out.modes[1]);
    if (settings.capacity > 0) out.verdict = verdict_of(outcomes);
    return out;
}

std::uint64_t smallest_capacity(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode) {
    AllocatorSettings tried = settings;
    const auto peak_with = [&](std::uint64_t capacity) {
        tried.capacity = capacity;
        return replay(run, tried, {.mode = mode});
    };
    const auto unlimited = peak_with(0);
    std::uint64_t low = 0;
    std::uint64_t high = (unlimited.peak_reserved_bytes + k_large_round_bytes - 1) / k_large_round_bytes + 16;
    while (low + 1 < high) {
        const std::uint64_t middle = (low + high) / 2;
        const auto result = peak_with(middle * k_large_round_bytes);
        (result.fits() ? high : low) = middle;
    }
    return high * k_large_round_bytes;
}

std::vector<std::pair<std::string, std::string>> usual_settings(const AllocatorSettings& settings) {
    std::vector<std::pair<std::string, std::string>> all = {{"expandable_segments", settings.expandable ? "false" : "true"},
                                                            {"max_split_size_mb", "128"},
                                                            {"max_split_size_mb", "512"},
                                                            {"roundup_power2_divisions", "8"}};
    if (settings.capacity > 0) all.emplace_back("garbage_collection_threshold", "0.8");
    std::erase_if(all, [&](const auto& setting) {
        AllocatorSettings changed = settings;
        return !change_setting(changed, setting.first, setting.second) || changed == settings;
    });
    return all;
}

TriedSetting try_setting(const RecordedRun& run, const AllocatorSettings& base,
                         const std::pair<std::string, std::string>& setting) {
    AllocatorSettings settings = base;
    throw_if_error(change_setting(settings, setting.first, setting.second));
    TriedSetting tried{setting.first, setting.second, what_if(run, settings), {}};
    for (std::size_t m = 0; m < k_modes.size(); ++m) {
        const WhatIfMode& mode = tried.answer.modes[m];
        if (const auto& before = tried.answer.peak_as_recorded_bytes[m]; mode.start_fits && before)
            tried.change_bytes[m] = static_cast<std::int64_t>(mode.peak_reserved_bytes - *before);
    }
    return tried;
}

ReplayBasis replay_basis(const Snapshot& snapshot, const DeviceTrace& trace) {
    ReplayBasis basis{read_recorded_run(snapshot, trace), {}, {}};
    basis.agreement = measure_agreement(basis.run);
    basis.card = card_bounds(basis.run);
    return basis;
}

ReplayAnswer ask_replay(const ReplayBasis& basis, const ReplayQuestion& question) {
    ReplayAnswer out;
    begin_answer(basis, question, out);
    if (!out.refused.empty()) return out;
    out.answer = what_if(basis.run, out.settings);
    for (std::size_t m = 0; question.find_smallest && m < k_modes.size(); ++m)
        out.smallest_capacity_bytes[m] = smallest_capacity(basis.run, out.settings, k_modes[m]);
    if (!question.try_usual) return out;
    for (const auto& setting : usual_settings(out.settings))
        out.usual.push_back(try_setting(basis.run, out.settings, setting));
    return out;
}

ReplayReport replay_report(const Snapshot& snapshot, const DeviceTrace& trace, const ReplayQuestion& question) {
    ReplayReport report{replay_basis(snapshot, trace), {}, false};
    report.is_asked = !question.settings.empty() || question.find_smallest || question.try_usual;
    if (report.is_asked) static_cast<ReplayAnswer&>(report) = ask_replay(report, question);
    return report;
}

oom::ExpandableGain gain_of_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace,
                                                const std::function<bool()>& is_over) {
    oom::ExpandableGain gain{trace.events.size() > 0, std::nullopt};
    if (!gain.has_events) return gain;
    Progress limited;
    limited.set_stop_condition([&, outer = Context::current().progress] { return must_stop(outer) || is_over(); });
    const auto report = caught(&limited, [&] {
        return replay_report(snapshot, trace, {.settings = {{"expandable_segments", "true"}}});
    });
    check_stop();
    if (report && report->answer) gain.by_start = runs_of(*report->answer);
    return gain;
}

space::AddressMoment replayed_moment(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode,
                                     std::uint32_t event_count, const space::AddressMoment& recorded) {
    const auto result = replay(run, settings, {.mode = mode, .event_count = event_count});
    if (!result.start_fits || result.model == nullptr) return space::AddressMoment{};
    return moment_of(result.model->blocks(), owners_of_blocks(result, recorded), *run.snapshot);
}

}  // namespace snapviewer::replay
