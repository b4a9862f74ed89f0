#include "core/analysis/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/analysis/compare.h"
#include "core/base/units.h"
#include "core/timeline/recording_gaps.h"
#include "core/trace/reserved.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_causes = 5;
/// Fewer changes from step to step, after the first steps, are no trend.
constexpr std::size_t k_least_changes = 3;

std::string cause(std::uint64_t bytes, const std::string& source) {
    return fmt::format("{}  {}", format_bytes(bytes), source);
}

/// "above the limit of 20.0 GiB by 2.7 GiB", or that it is within.
std::string against(std::uint64_t bytes, std::uint64_t limit) {
    if (bytes <= limit) return "within the limit of " + format_bytes(limit);
    return fmt::format("{} above the limit of {}", format_bytes(bytes - limit), format_bytes(limit));
}

/// A largest value that was seen, held to what it may be.
CheckedLimit check_most(const char* name, std::uint64_t seen, std::uint64_t limit, const std::string& why_not_whole,
                        const std::string& what) {
    CheckedLimit checked{
        name, LimitOutcome::within, fmt::format("{} {}, {}", what, format_bytes(seen), against(seen, limit)), {}};
    if (seen > limit) {
        checked.outcome = LimitOutcome::broken;
    } else if (!why_not_whole.empty()) {
        checked.outcome = LimitOutcome::unknown;
        checked.sentence += "; but " + why_not_whole;
    }
    checked.sentence += ".";
    return checked;
}

Result<PeakGroups> peak_groups_of(DeviceAnalyses& device, CompareBy by, const Progress* progress) {
    const auto lines = device.stack_lines(progress);
    if (!lines) return lines.error();
    return group_peak(device.timeline(), **lines, by, CompareBasis::all, progress);
}

Result<std::vector<std::string>> largest_at_peak(DeviceAnalyses& device, const Progress* progress) {
    const auto peak = peak_groups_of(device, CompareBy::source, progress);
    if (!peak) return peak.error();
    std::vector<std::pair<std::uint64_t, std::string>> largest;
    for (const auto& [key, group] : peak->groups) largest.emplace_back(group.bytes, group.source);
    std::ranges::sort(largest, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> causes;
    for (std::size_t i = 0; i < std::min(k_causes, largest.size()); ++i)
        causes.push_back(cause(largest[i].first, largest[i].second));
    return causes;
}

/// What a request that failed would have made of the total, if that is more than any total there was.
Result<std::uint64_t> largest_refused_total(DeviceAnalyses& device, const Progress* progress) {
    const auto oom = device.oom(progress);
    if (!oom) return oom.error();
    std::uint64_t most = 0;
    for (const OomVerdict& verdict : (*oom)->verdicts) most = std::max(most, verdict.requested + verdict.demand);
    return most;
}

Result<CheckedLimit> check_peak(DeviceAnalyses& device, const Limits& limits, const Progress* progress) {
    const std::uint64_t peak = device.timeline().peak_bytes();
    const auto refused = largest_refused_total(device, progress);
    if (!refused) return refused.error();
    CheckedLimit checked =
        *refused > peak
            ? check_most("max-peak", *refused, *limits.peak_bytes, why_not_whole(device),
                         fmt::format("The peak is {}, and a request that failed would have made it", format_bytes(peak)))
            : check_most("max-peak", peak, *limits.peak_bytes, why_not_whole(device), "The peak is");
    if (checked.outcome == LimitOutcome::broken) {
        auto causes = largest_at_peak(device, progress);
        if (!causes) return causes.error();
        checked.causes = std::move(*causes);
    }
    return checked;
}

Result<CheckedLimit> check_reserved_peak(DeviceAnalyses& device, const Limits& limits, const Progress* progress) {
    const auto history = reserved_history(device.snapshot(), device.trace());
    if (!history) {
        return CheckedLimit{
            "max-reserved", LimitOutcome::unknown, "The file does not tell what was reserved from the driver.", {}};
    }
    std::uint64_t most = history->bytes_at_start;
    for (const std::uint64_t bytes : history->bytes_after) most = std::max(most, bytes);
    CheckedLimit checked =
        check_most("max-reserved", most, *limits.reserved_bytes, why_not_whole(device), "The most that was reserved is");
    if (checked.outcome == LimitOutcome::broken) {
        auto causes = largest_at_peak(device, progress);
        if (!causes) return causes.error();
        checked.causes = std::move(*causes);
    }
    return checked;
}

Result<CheckedLimit> check_growth(DeviceAnalyses& device, const Limits& limits, const Progress* progress) {
    const auto growth = device.growth(progress);
    if (!growth) return growth.error();
    const auto steps = device.steps(progress);
    if (!steps) return steps.error();
    CheckedLimit checked{"max-growth", LimitOutcome::unknown, "", {}};
    const Growth& grown = **growth;
    if (grown.held.empty()) {
        checked.sentence = fmt::format("Growth cannot be told: {}.", grown.reason);
        return checked;
    }
    const auto judged = std::span(grown.held).subspan(grown.warmup);
    if (judged.size() <= k_least_changes) {
        const std::string warmup =
            grown.warmup == 0 ? "" : fmt::format(", of which the first {} do not count", grown.warmup);
        checked.sentence = fmt::format("Growth cannot be told from {} complete training steps in a row{}: {} are needed.",
                                       grown.steps, warmup, k_least_changes + grown.warmup);
        return checked;
    }
    const double slope = std::max(0.0, theil_sen_slope(judged));
    const auto bytes_a_step = static_cast<std::uint64_t>(std::llround(slope));
    checked.outcome = bytes_a_step > *limits.growth_bytes ? LimitOutcome::broken : LimitOutcome::within;
    checked.sentence =
        fmt::format("Memory grows by {} a step over {} steps (told by {}), {}.", format_bytes(bytes_a_step),
                    judged.size() - 1, step_method_name((*steps)->method), against(bytes_a_step, *limits.growth_bytes));
    if (checked.outcome == LimitOutcome::within) return checked;
    for (std::size_t i = 0; i < std::min(k_causes, grown.suspects.size()); ++i) {
        const GrowthRow& row = grown.suspects[i];
        checked.causes.push_back(cause(static_cast<std::uint64_t>(std::llround(std::max(0.0, row.slope))), row.source) +
                                 ", each step");
    }
    return checked;
}

Result<CheckedLimit> check_fragmentation(DeviceAnalyses& device, const Limits& limits, const Progress* progress) {
    CheckedLimit checked{
        "max-fragmentation", LimitOutcome::unknown, "The file does not tell what was reserved from the driver.", {}};
    if (!device.tells_of_blocks() || !reserved_history(device.snapshot(), device.trace())) return checked;
    const auto holes = device.holes(progress);
    if (!holes) return holes.error();
    const HolesRow& most = (*holes)->rows[(*holes)->most_reserved_moment];
    const double percent =
        most.reserved == 0 ? 0.0 : 100.0 * static_cast<double>(most.idle_pinned) / static_cast<double>(most.reserved);
    const bool is_broken = percent > *limits.fragmentation_percent;
    checked.sentence =
        fmt::format("When most was reserved ({}), {} or {:.1f} % lay idle in segments that live blocks keep, {} {:.1f} %",
                    format_bytes(most.reserved), format_bytes(most.idle_pinned), percent,
                    is_broken ? "above the limit of" : "within the limit of", *limits.fragmentation_percent);
    checked.outcome = is_broken ? LimitOutcome::broken : LimitOutcome::within;
    if (const std::string why = why_not_whole(device); !is_broken && !why.empty()) {
        checked.outcome = LimitOutcome::unknown;
        checked.sentence += "; but " + why;
    }
    checked.sentence += ".";
    return checked;
}

Result<CheckedLimit> check_baseline(DeviceAnalyses& device, const Limits& limits, const Progress* progress) {
    const std::uint64_t before = limits.baseline->timeline().peak_bytes();
    const std::uint64_t now = device.timeline().peak_bytes();
    const auto tolerated = limits.tolerance.bytes +
                           static_cast<std::uint64_t>(std::llround(limits.tolerance.share * static_cast<double>(before)));
    const std::uint64_t limit = before + tolerated;
    const std::string difference =
        now >= before ? format_bytes(now - before) + " more than" : format_bytes(before - now) + " less than";
    CheckedLimit checked{"baseline", now > limit ? LimitOutcome::broken : LimitOutcome::within, "", {}};
    checked.sentence = fmt::format("The peak is {}, {} the baseline's {}; {} more {} allowed", format_bytes(now), difference,
                                   format_bytes(before), format_bytes(tolerated), tolerated == 1 ? "is" : "are");
    if (const std::string why = why_not_whole(*limits.baseline); !why.empty()) {
        checked.outcome = LimitOutcome::unknown;
        checked.sentence += "; but of the baseline's recording, " + why;
    } else if (const std::string why_here = why_not_whole(device);
               checked.outcome == LimitOutcome::within && !why_here.empty()) {
        checked.outcome = LimitOutcome::unknown;
        checked.sentence += "; but " + why_here;
    }
    checked.sentence += ".";
    if (checked.outcome != LimitOutcome::broken) return checked;
    const auto old_peak = peak_groups_of(*limits.baseline, CompareBy::source, progress);
    if (!old_peak) return old_peak.error();
    const auto new_peak = peak_groups_of(device, CompareBy::source, progress);
    if (!new_peak) return new_peak.error();
    const PeakComparison compared = compare_peaks(*old_peak, *new_peak);
    std::vector<PeakComparison::Row> rows = compared.only_b;
    rows.insert(rows.end(), compared.both.begin(), compared.both.end());
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.delta_bytes() > b.delta_bytes(); });
    for (std::size_t i = 0; i < std::min(k_causes, rows.size()) && rows[i].delta_bytes() > 0; ++i)
        checked.causes.push_back(
            fmt::format("+{}", cause(static_cast<std::uint64_t>(rows[i].delta_bytes()), rows[i].source)));
    return checked;
}

}  // namespace

std::string why_not_whole(const DeviceAnalyses& device) {
    if (ran_out_of_room(device.snapshot())) return "the recording ran out of room, so what came before it is not known";
    const auto tells_of_room = [](const auto& setting) {
        return setting.first == "trace_alloc_max_entries" || setting.first == "trace_alloc_overflowed";
    };
    if (std::ranges::any_of(device.snapshot().settings, tells_of_room)) return "";
    const bool misses_allocations = std::ranges::count(device.trace().allocations.origin, Origin::freed) > 0;
    return misses_allocations
               ? "blocks are freed that the recording never saw allocated, and the file does not tell whether "
                 "its beginning is lost"
               : "";
}

const char* limit_outcome_name(LimitOutcome outcome) {
    switch (outcome) {
        case LimitOutcome::within: return "within";
        case LimitOutcome::broken: return "broken";
        case LimitOutcome::unknown: return "cannot be told";
    }
    return "";
}

Result<std::vector<CheckedLimit>> check_limits(DeviceAnalyses& device, const Limits& limits, const Progress* progress) {
    using Check = Result<CheckedLimit> (*)(DeviceAnalyses&, const Limits&, const Progress*);
    std::vector<Check> checks;
    if (limits.peak_bytes) checks.push_back(check_peak);
    if (limits.reserved_bytes) checks.push_back(check_reserved_peak);
    if (limits.growth_bytes) checks.push_back(check_growth);
    if (limits.fragmentation_percent) checks.push_back(check_fragmentation);
    if (limits.baseline != nullptr) checks.push_back(check_baseline);
    std::vector<CheckedLimit> checked;
    for (const Check check : checks) {
        auto one = check(device, limits, progress);
        if (!one) return one.error();
        checked.push_back(std::move(*one));
    }
    return checked;
}

LimitOutcome worst_outcome(const std::vector<CheckedLimit>& checked) {
    const auto any = [&](LimitOutcome outcome) {
        return std::ranges::find(checked, outcome, &CheckedLimit::outcome) != checked.end();
    };
    if (any(LimitOutcome::broken)) return LimitOutcome::broken;
    return any(LimitOutcome::unknown) ? LimitOutcome::unknown : LimitOutcome::within;
}

}  // namespace snapviewer
