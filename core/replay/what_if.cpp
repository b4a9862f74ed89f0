#include "core/replay/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "core/base/context.h"
#include "core/base/number_text.h"

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

void summarise(ReplayResult& result, WhatIfMode& out) {
    out.fits = result.fits();
    out.start_fits = result.start_fits;
    if (!result.start_fits) return;
    const AllocatorModel& model = *result.model;
    out.start_reserved_bytes = result.start_reserved_bytes;
    out.peak_reserved_bytes = model.peak_reserved_bytes;
    out.peak_event = result.peak_event;
    out.peak_allocated_bytes = model.peak_allocated_bytes;
    out.final_reserved_bytes = model.reserved_bytes;
    out.driver_allocs = result.driver_allocs;
    out.driver_frees = model.driver_frees;
    out.flushes = model.flushes;
    out.oom = result.oom;
    out.recorded_ooms = std::move(result.recorded_ooms);
    out.fragmentation = std::move(result.fragmentation);
    out.reserved_after = std::move(result.reserved_after);
}

/// Runs the replay whose details are reported, and repeats it up to its peak to get the segments at the peak.
void run_told(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode, Outcome& outcome,
              WhatIfMode& out) {
    auto result = replay(run, settings, {.mode = mode});
    outcome.fits = result.fits();
    if (result.start_fits) outcome.peak_reserved_bytes = result.model->peak_reserved_bytes;
    summarise(result, out);
    if (!out.start_fits) return;
    const std::uint32_t until = out.peak_event ? *out.peak_event + 1 : 0;
    const auto at_peak = replay(run, settings, {.mode = mode, .event_count = until});
    out.segments_at_peak = at_peak.model->segments();
}

void run_plain(const RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options, Outcome& outcome) {
    const auto result = replay(run, settings, options);
    outcome.fits = result.fits();
    if (result.start_fits) outcome.peak_reserved_bytes = result.model->peak_reserved_bytes;
}

WhatIfVerdict verdict_of(const std::array<std::array<Outcome, k_orders.size()>, k_modes.size()>& outcomes) {
    std::set<bool> verdicts;
    for (const auto& row : outcomes) {
        for (const Outcome& outcome : row) verdicts.insert(outcome.fits);
    }
    if (verdicts.size() > 1) return WhatIfVerdict::cannot_be_told;
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
        need_ok(change_setting(out.settings, name, value));
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

constexpr const char* k_setting = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";

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

bool is_gain(std::uint64_t bytes, std::uint64_t recorded_bytes) {
    constexpr double k_min_gain = 0.02;
    return static_cast<double>(bytes) <= (1 - k_min_gain) * static_cast<double>(recorded_bytes);
}

/// The hint that makes `promise`. `is_confirmed(run)` returns whether the replay from one start confirms the promise.
template <typename IsConfirmed>
std::string hint_of(const ExpandableGain& gain, const std::string& promise, IsConfirmed is_confirmed) {
    if (!gain.has_events) return "";
    const std::ptrdiff_t confirmed = gain.by_start ? std::ranges::count_if(*gain.by_start, is_confirmed) : 1;
    if (confirmed == 0) return "";
    return confirmed == 2 ? promise : fmt::format("{} may avoid this fragmentation.", k_setting);
}

}  // namespace

const char* what_if_verdict_name(WhatIfVerdict verdict) {
    switch (verdict) {
        case WhatIfVerdict::no_card_size: return "no card size known";
        case WhatIfVerdict::fits: return "fits";
        case WhatIfVerdict::does_not_fit: return "does not fit";
        case WhatIfVerdict::cannot_be_told: return "cannot be told";
    }
    return "";
}

const char* what_if_verdict_words(WhatIfVerdict verdict) {
    return verdict == WhatIfVerdict::cannot_be_told ? "depends on the addresses" : what_if_verdict_name(verdict);
}

WhatIf what_if(const RecordedRun& run, const AllocatorSettings& settings) {
    WhatIf out;
    std::array<std::array<Outcome, k_orders.size()>, k_modes.size()> outcomes;
    std::array<Outcome, k_modes.size()> as_recorded;
    AllocatorSettings recorded = run.settings;
    recorded.capacity = settings.capacity;
    std::vector<std::function<void()>> tasks;
    for (std::size_t m = 0; m < k_modes.size(); ++m) {
        tasks.emplace_back([&, m] { return run_told(run, settings, k_modes[m], outcomes[m][0], out.modes[m]); });
        for (std::size_t o = 1; o < k_orders.size(); ++o) {
            tasks.emplace_back(
                [&, m, o] { return run_plain(run, settings, {.mode = k_modes[m], .order = k_orders[o]}, outcomes[m][o]); });
        }
        tasks.emplace_back([&, m] { return run_plain(run, recorded, {.mode = k_modes[m]}, as_recorded[m]); });
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
    std::uint64_t high = (unlimited.model->peak_reserved_bytes + k_large_round_bytes - 1) / k_large_round_bytes + 16;
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
    need_ok(change_setting(settings, setting.first, setting.second));
    auto answer = what_if(run, settings);
    TriedSetting tried{setting.first, setting.second, std::move(answer), {}};
    for (std::size_t m = 0; m < k_modes.size(); ++m) {
        const WhatIfMode& mode = tried.answer.modes[m];
        if (const auto& before = tried.answer.peak_as_recorded_bytes[m]; mode.start_fits && before)
            tried.change_bytes[m] = static_cast<std::int64_t>(mode.peak_reserved_bytes - *before);
    }
    return tried;
}

ReplayBasis replay_basis(const Snapshot& snapshot, const DeviceTrace& trace) {
    auto run = read_recorded_run(snapshot, trace);
    ReplayBasis basis;
    basis.run = std::move(run);
    basis.agreement = measure_agreement(basis.run);
    basis.card = card_bounds(basis.run);
    return basis;
}

ReplayAnswer ask_replay(const ReplayBasis& basis, const ReplayQuestion& question) {
    ReplayAnswer out;
    begin_answer(basis, question, out);
    if (!out.refused.empty()) return out;
    out.answer = what_if(basis.run, out.settings);
    for (std::size_t m = 0; question.find_smallest && m < k_modes.size(); ++m) {
        const auto smallest = smallest_capacity(basis.run, out.settings, k_modes[m]);
        out.smallest_capacity_bytes[m] = smallest;
    }
    if (!question.try_usual) return out;
    for (const auto& setting : usual_settings(out.settings)) {
        out.usual.push_back(try_setting(basis.run, out.settings, setting));
    }
    return out;
}

ReplayReport replay_report(const Snapshot& snapshot, const DeviceTrace& trace, const ReplayQuestion& question) {
    auto basis = replay_basis(snapshot, trace);
    ReplayReport report;
    static_cast<ReplayBasis&>(report) = std::move(basis);
    report.settings = report.run.settings;
    report.is_asked = !question.settings.empty() || question.find_smallest || question.try_usual;
    if (!report.is_asked) return report;
    static_cast<ReplayAnswer&>(report) = ask_replay(report, question);
    return report;
}

ExpandableGain gain_of_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace,
                                           const std::function<bool()>& is_over) {
    ExpandableGain gain{trace.events.size() > 0, std::nullopt};
    if (!gain.has_events) return gain;
    Progress limited;
    limited.stop_when([&, outer = Context::current().progress] { return must_stop(outer) || is_over(); });
    const auto report = caught(&limited, [&] {
        return replay_report(snapshot, trace, {.settings = {{"expandable_segments", "true"}}});
    });
    check_stop();
    if (report && report->answer) gain.by_start = runs_of(*report->answer);
    return gain;
}

std::string expandable_hint(const ExpandableGain& gain) {
    std::uint64_t recorded_peak = 0;
    std::uint64_t peak = 0;
    if (gain.by_start) {
        const auto& higher = std::ranges::max(*gain.by_start, {}, &ExpandableRun::peak_bytes);
        recorded_peak = higher.recorded_peak_bytes;
        peak = higher.peak_bytes;
    }
    const std::string promise = fmt::format("With {}, a replay of this recording reserves at most {} instead of {}.",
                                            k_setting, format_bytes(peak), format_bytes(recorded_peak));
    return hint_of(gain, promise, [](const ExpandableRun& run) { return is_gain(run.peak_bytes, run.recorded_peak_bytes); });
}

std::string expandable_hint(const ExpandableGain& gain, std::uint32_t event, std::uint64_t needed_bytes) {
    const std::string promise = fmt::format("With {}, a replay of this recording serves this request.", k_setting);
    return hint_of(gain, promise, [&](const ExpandableRun& run) {
        const auto served = run.reserved_with_request.find(event);
        return served != run.reserved_with_request.end() && is_gain(served->second, needed_bytes);
    });
}

}  // namespace snapviewer
