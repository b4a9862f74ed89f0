#include "core/analysis/report/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>
#include <utility>

#include "core/analysis/compare/compare.h"
#include "core/analysis/findings/findings.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"
#include "core/trace/segments.h"

namespace snapviewer::report {
namespace {

constexpr std::size_t k_causes = 5;
/// Minimum number of steps after the warm-up that make a trend
constexpr std::size_t k_min_trend_steps = 3;
constexpr std::size_t k_min_warmup = 1;

std::string cause(std::uint64_t bytes, const std::string& source) {
    return fmt::format("{}  {}", format_bytes(bytes), source);
}

/// Text such as "2.7 GiB above the limit of 20.0 GiB", or "within the limit of 20.0 GiB".
std::string against(std::uint64_t bytes, std::uint64_t limit) {
    if (bytes <= limit) return "within the limit of " + format_bytes(limit);
    return fmt::format("{} above the limit of {}", format_bytes(bytes - limit), format_bytes(limit));
}

CheckedLimit unknown_limit(const char* name, std::string sentence) {
    return {name, "", LimitOutcome::unknown, std::move(sentence), {}};
}

/// Returns a limit that is broken or met. The caller still has to complete its sentence.
CheckedLimit make_limit(const char* name, bool is_broken, std::string sentence) {
    return {name, "", is_broken ? LimitOutcome::broken : LimitOutcome::within, std::move(sentence), {}};
}

/// Completes the sentence of a checked limit. If `doubt` is not empty, an outcome of within becomes unknown, and the
/// sentence states the doubt.
CheckedLimit with_doubt(CheckedLimit checked, const std::string& doubt) {
    if (checked.outcome == LimitOutcome::within && !doubt.empty()) {
        checked.outcome = LimitOutcome::unknown;
        checked.sentence += "; but " + doubt;
    }
    checked.sentence += ".";
    return checked;
}

std::vector<std::string> largest_at_peak(findings::DeviceAnalyses& device) {
    const auto peak = compare::group_peak(device, compare::CompareBy::source, compare::CompareBasis::all);
    std::vector<std::pair<std::uint64_t, std::string>> largest;
    for (const auto& [key, group] : peak.groups) largest.emplace_back(group.bytes, group.source);
    std::ranges::sort(largest, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> causes;
    for (const auto& [bytes, source] : largest | std::views::take(k_causes)) causes.push_back(cause(bytes, source));
    return causes;
}

/// Compares an observed maximum with its limit. Adds the stacks with the most bytes at the peak to a broken limit, unless
/// the file is cut off before its peak.
CheckedLimit check_maximum(const char* name, std::uint64_t seen, std::uint64_t limit, const std::string& doubt,
                           const std::string& what, findings::DeviceAnalyses& device) {
    CheckedLimit checked = with_doubt(
        make_limit(name, seen > limit, fmt::format("{} {}, {}", what, format_bytes(seen), against(seen, limit))), doubt);
    if (seen > limit && !is_peak_behind_cut(device.timeline())) checked.causes = largest_at_peak(device);
    return checked;
}

CheckedLimit check_peak(findings::DeviceAnalyses& device, const Limits& limits) {
    const KnownPeak peak = known_peak(device.timeline());
    std::uint64_t refused = 0;  // the largest total that a failed request would have caused
    for (const oom::OomVerdict& verdict : device.oom()->verdicts)
        refused = std::max(refused, verdict.requested + verdict.demand);
    const std::string what =
        refused > peak.bytes
            ? fmt::format("The peak is {}, and a request that failed would have made it", peak_text(device.timeline()))
        : peak.is_lower_bound ? "The peak is at least"
                              : "The peak is";
    return check_maximum("max-peak", std::max(refused, peak.bytes), *limits.peak_bytes, why_not_whole(device), what, device);
}

/// Checks the maximum of the reserved memory. If only the value at the end is known, it can break the limit but cannot show
/// that the limit was met.
CheckedLimit check_reserved_peak(findings::DeviceAnalyses& device, const Limits& limits) {
    constexpr const char* k_name = "max-reserved";
    const auto at_end = reserved_at_end(device.snapshot(), device.trace());
    if (!at_end) return unknown_limit(k_name, "The file lists no segments, so reserved memory is unknown.");
    const auto history = reserved_history(device.snapshot(), device.trace());
    if (!history)
        return check_maximum(k_name, *at_end, *limits.reserved_bytes, "what was reserved before that is unknown",
                             "Reserved at the end is", device);
    std::uint64_t most = history->bytes_at_start;
    for (const std::uint64_t bytes : history->bytes_after) most = std::max(most, bytes);
    return check_maximum(k_name, most, *limits.reserved_bytes, why_not_whole(device), "The most that was reserved is",
                         device);
}

/// The growth per step, summed over all rows of one state.
double growth_of(const growth::Growth& growth, growth::GrowthState state) {
    double bytes_a_step = 0;
    for (const growth::GrowthRow& row : growth.suspects) {
        if (row.state == state) bytes_a_step += std::max(0.0, row.slope);
    }
    return bytes_a_step;
}

std::string too_few_steps(const growth::Growth& growth) {
    if (growth.held.empty()) return fmt::format("Growth can't be measured: {}.", growth.reason);
    const std::size_t warmup = std::max(k_min_warmup, growth.warmup);
    return fmt::format("Growth can't be measured from {} complete {}s in a row{}: it takes {}.", growth.steps,
                       steps::step_word(growth.training), growth::warmup_words(warmup), k_min_trend_steps + warmup);
}

CheckedLimit check_growth(findings::DeviceAnalyses& device, const Limits& limits) {
    constexpr const char* k_name = "max-growth";
    const growth::Growth& found = *device.growth();
    const auto limit = static_cast<double>(*limits.growth_bytes);
    const double grows = growth_of(found, growth::GrowthState::leak);
    // A leak breaks the limit after any number of steps, so it needs no minimum.
    if (grows <= limit && found.steps < k_min_trend_steps + std::max(k_min_warmup, found.warmup))
        return unknown_limit(k_name, too_few_steps(found));
    const double may_grow = growth_of(found, growth::GrowthState::possible);
    const auto bytes_a_step = static_cast<std::uint64_t>(std::llround(grows));
    const char* step = steps::step_word(found.training);
    const std::string doubt = grows + may_grow > limit
                                  ? fmt::format("{} more may grow, over too few steps to be sure",
                                                format_bytes(static_cast<std::uint64_t>(std::llround(may_grow))))
                                  : "";
    CheckedLimit checked = with_doubt(
        make_limit(k_name, grows > limit,
                   fmt::format("Memory grows by {} per {} over {} (told by {}), {}", format_bytes(bytes_a_step), step,
                               counted(found.steps - found.warmup, step), steps::step_method_name(device.steps()->method),
                               against(bytes_a_step, *limits.growth_bytes))),
        doubt);
    if (checked.outcome == LimitOutcome::within) return checked;
    for (const growth::GrowthRow& row : found.suspects | std::views::take(k_causes)) {
        const auto slope = static_cast<std::uint64_t>(std::llround(std::max(0.0, row.slope)));
        checked.causes.push_back(fmt::format("{}, each {}", cause(slope, row.source), step));
    }
    return checked;
}

CheckedLimit check_fragmentation(findings::DeviceAnalyses& device, const Limits& limits) {
    constexpr const char* k_name = "max-fragmentation";
    if (!device.address_space()->is_idle_memory_known())
        return unknown_limit(k_name,
                             "Idle memory is unknown: the file's segments do not hold every live block at every moment.");
    const space::HolesHistory& holes = *device.holes();
    const space::HolesRow& most = holes.at(holes.max_reserved_moment);
    const double percent =
        most.reserved == 0 ? 0.0 : 100.0 * static_cast<double>(most.idle_pinned) / static_cast<double>(most.reserved);
    const bool is_broken = percent > *limits.fragmentation_percent;
    return with_doubt(
        make_limit(k_name, is_broken,
                   fmt::format("When most was reserved ({}), {} ({}) was idle in segments that live blocks pin, {} {:.1f} %",
                               format_bytes(most.reserved), format_bytes(most.idle_pinned),
                               format_share(most.idle_pinned, most.reserved, 1),
                               is_broken ? "above the limit of" : "within the limit of", *limits.fragmentation_percent)),
        why_not_whole(device));
}

/// The device of the baseline to compare with, or null if the baseline has none.
findings::DeviceAnalyses* counterpart(const findings::DeviceAnalyses& device, const Baseline& baseline, bool is_alone) {
    for (std::size_t i = 0; i < baseline.analyses->device_count(); ++i) {
        findings::DeviceAnalyses& other = baseline.analyses->device(i);
        if (other.trace().device == device.trace().device) return &other;
    }
    return is_alone && baseline.analyses->device_count() > 0 ? &baseline.analyses->device(baseline.default_device) : nullptr;
}

std::vector<std::string> what_grew(findings::DeviceAnalyses& before, findings::DeviceAnalyses& device) {
    const auto old_peak = compare::group_peak(before, compare::CompareBy::source, compare::CompareBasis::all);
    const auto new_peak = compare::group_peak(device, compare::CompareBy::source, compare::CompareBasis::all);
    const compare::PeakComparison compared = compare::compare_peaks(old_peak, new_peak);
    std::vector<compare::PeakComparison::Row> rows = compared.only_b;
    rows.insert(rows.end(), compared.both.begin(), compared.both.end());
    std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.delta_bytes() > b.delta_bytes(); });
    std::vector<std::string> causes;
    for (std::size_t i = 0; i < std::min(k_causes, rows.size()) && rows[i].delta_bytes() > 0; ++i)
        causes.push_back("+" + cause(static_cast<std::uint64_t>(rows[i].delta_bytes()), rows[i].source));
    return causes;
}

CheckedLimit check_baseline(findings::DeviceAnalyses& device, const Limits& limits, bool is_alone) {
    findings::DeviceAnalyses* before = counterpart(device, *limits.baseline, is_alone);
    if (before == nullptr) return unknown_limit("baseline", "The baseline has no such device.");
    const std::uint64_t peak_before = known_peak(before->timeline()).bytes;
    const std::uint64_t peak = known_peak(device.timeline()).bytes;
    const auto tolerated =
        limits.tolerance.bytes +
        static_cast<std::uint64_t>(std::llround(limits.tolerance.share * static_cast<double>(peak_before)));
    const std::string difference = peak >= peak_before ? format_bytes(peak - peak_before) + " more than"
                                                       : format_bytes(peak_before - peak) + " less than";
    CheckedLimit checked = make_limit(
        "baseline", peak > peak_before + tolerated,
        fmt::format("The peak is {}, {} the baseline's {}; {} more {} allowed", peak_text(device.timeline()), difference,
                    format_bytes(peak_before), format_bytes(tolerated), tolerated == 1 ? "is" : "are"));
    if (const std::string why = why_not_whole(*before); !why.empty()) {
        checked.outcome = LimitOutcome::unknown;
        checked.sentence += "; but of the baseline's recording, " + why + ".";
        return checked;
    }
    checked = with_doubt(std::move(checked), why_not_whole(device));
    if (checked.outcome == LimitOutcome::broken && !is_peak_behind_cut(device.timeline()))
        checked.causes = what_grew(*before, device);
    return checked;
}

/// Adds a sentence about memory that PyTorch counts although it is not on the card.
CheckedLimit with_beyond_card(CheckedLimit checked, findings::DeviceAnalyses& device) {
    if (const auto& beyond = device.oom()->beyond) checked.sentence += " " + beyond->sentence;
    return checked;
}

/// Checks all limits of one device and appends the results to `checked`.
void check_device(findings::DeviceAnalyses& device, const Limits& limits, bool is_alone,
                  std::vector<CheckedLimit>& checked) {
    const auto add = [&](bool is_asked, const auto& check) {
        if (!is_asked) return;
        CheckedLimit& one = checked.emplace_back(check());
        if (!is_alone) one.device = device_name(device.trace());
    };
    add(limits.peak_bytes.has_value(), [&] { return with_beyond_card(check_peak(device, limits), device); });
    add(limits.reserved_bytes.has_value(), [&] { return with_beyond_card(check_reserved_peak(device, limits), device); });
    add(limits.growth_bytes.has_value(), [&] { return check_growth(device, limits); });
    add(limits.fragmentation_percent.has_value(), [&] { return check_fragmentation(device, limits); });
    add(limits.baseline.has_value(), [&] { return check_baseline(device, limits, is_alone); });
}

/// The chosen device, or all devices except the host if none is chosen.
std::vector<findings::DeviceAnalyses*> checked_devices(const findings::Analyses& analyses,
                                                       std::optional<std::size_t> chosen) {
    std::vector<findings::DeviceAnalyses*> all;
    for (std::size_t i = 0; i < analyses.device_count(); ++i) {
        if (!chosen || *chosen == i) all.push_back(&analyses.device(i));
    }
    if (chosen) return all;
    std::vector<findings::DeviceAnalyses*> devices;
    std::ranges::copy_if(all, std::back_inserter(devices),
                         [](findings::DeviceAnalyses* each) { return !each->trace().is_host; });
    return devices.empty() ? all : devices;
}

}  // namespace

std::string why_not_whole(const findings::DeviceAnalyses& device) {
    const Timeline& timeline = device.timeline();
    const bool is_damaged = std::ranges::any_of(device.snapshot().log.entries(), [](const ImportEntry& entry) {
        return entry.code == ImportCode("damaged_packing").kind->name;
    });
    if (is_damaged) return "the file is damaged, so its values may be wrong";
    if (is_cut_off(timeline)) return "the file is cut off, so what came after that is unknown";
    if (const KnownPeak peak = known_peak(timeline); peak.is_lower_bound) {
        return peak.bytes == 0 ? "the file does not record allocated memory"
                               : "the file has no history of this memory, so what was in use before is unknown";
    }
    if (states_overflow(device.snapshot())) return "the recording ran out of room, so what came before it is unknown";
    const bool misses_allocations = std::ranges::count(device.trace().allocations.origin, Origin::freed) > 0;
    return misses_allocations
               ? "the recording frees blocks whose allocation it does not contain, so what came before it is unknown"
               : "";
}

const char* limit_outcome_name(LimitOutcome outcome) {
    constexpr const char* k_names[] = {"within", "broken", "unknown"};
    return k_names[static_cast<std::size_t>(outcome)];
}

std::vector<CheckedLimit> check_limits(const findings::Analyses& analyses, std::optional<std::size_t> device,
                                       const Limits& limits) {
    const std::vector<findings::DeviceAnalyses*> devices = checked_devices(analyses, device);
    std::vector<CheckedLimit> checked;
    for (findings::DeviceAnalyses* each : devices) check_device(*each, limits, devices.size() == 1, checked);
    return checked;
}

LimitOutcome worst_outcome(const std::vector<CheckedLimit>& checked) {
    const auto any = [&](LimitOutcome outcome) {
        return std::ranges::find(checked, outcome, &CheckedLimit::outcome) != checked.end();
    };
    if (any(LimitOutcome::broken)) return LimitOutcome::broken;
    return any(LimitOutcome::unknown) || checked.empty() ? LimitOutcome::unknown : LimitOutcome::within;
}

}  // namespace snapviewer::report
