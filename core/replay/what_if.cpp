#include "core/replay/what_if.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <set>
#include <thread>

#include "core/base/context.h"

namespace snapviewer {
namespace {

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

std::optional<std::array<ExpandableRun, 2>> runs_of(const WhatIf& answer) {
    std::array<ExpandableRun, 2> runs;
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

ExpandableGain gain_of_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace,
                                           const std::function<bool()>& is_over) {
    ExpandableGain gain{trace.events.size() > 0, std::nullopt};
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

AddressMoment replayed_moment(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode,
                              std::uint32_t event_count, const AddressMoment& recorded) {
    const auto result = replay(run, settings, {.mode = mode, .event_count = event_count});
    if (!result.start_fits || result.model == nullptr) return AddressMoment{};
    return moment_of(result.model->blocks(), owners_of_blocks(result, recorded), *run.snapshot);
}

}  // namespace snapviewer
