#include "core/analysis/compare/comparison.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/base/context.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_compared_between_looks = 1U << 16U;

std::uint64_t reserved_by_segments(const DeviceAnalyses& device) {
    std::uint64_t bytes = 0;
    for (const Segment& segment : device.snapshot().segments) {
        if (segment.device == device.trace().device) bytes += segment.total_bytes;
    }
    return bytes;
}

PeakGroups peak_groups(DeviceAnalyses& device, const Comparison& asked) {
    if (asked.by == CompareBy::kind) {
        const auto kinds = device.kinds();
        return group_peak_by_kind(device.timeline(), *kinds, asked.basis);
    }
    if (asked.by == CompareBy::module) {
        const auto modules = device.modules();
        return group_peak_by_module(device.timeline(), *modules, asked.basis);
    }
    const auto lines = device.stack_lines();
    return group_peak(device.timeline(), *lines, asked.by, asked.basis);
}

/// Computes the groups of one side, and the facts about its peak.
void find_peak(DeviceAnalyses& device, const Comparison& asked, ComparedPeak& peak, PeakGroups& groups) {
    groups = peak_groups(device, asked);
    for (const auto& [key, group] : groups.groups) peak.bytes += group.bytes;
    peak.tick = groups.tick;
    peak.moment = device.timeline().tick_events()[peak.tick];
    peak.reserved_bytes = reserved_by_segments(device);
    peak.known = known_peak(device.timeline());
    if (device.timeline().allocation_count() == 0) peak.bytes = peak.known.bytes;
}

std::uint64_t change_in(const PeakComparison& peaks) {
    std::uint64_t bytes = 0;
    for (const auto* rows : {&peaks.only_a, &peaks.both, &peaks.only_b}) {
        for (const PeakComparison::Row& row : *rows)
            bytes += std::max(row.bytes_a, row.bytes_b) - std::min(row.bytes_a, row.bytes_b);
    }
    return bytes;
}

/// Also compares by function, for two facts that the rows may hide. If the rows differ by line numbers, moved lines explain
/// differences. If the rows are lines, kinds or modules, changes within one row can cancel out.
void compare_with_functions(DeviceAnalyses& a, const PeakGroups& groups_a, DeviceAnalyses& b, const PeakGroups& groups_b,
                            Comparison& comparison) {
    if (comparison.by == CompareBy::function) return;
    const Comparison by_function{.by = CompareBy::function, .basis = comparison.basis};
    const auto functions_a = peak_groups(a, by_function);
    const auto functions_b = peak_groups(b, by_function);
    const bool is_by_stack = comparison.by != CompareBy::kind && comparison.by != CompareBy::module;
    if (comparison.by == CompareBy::source || !is_by_stack) {
        const std::uint64_t change = change_in(compare_peaks(functions_a, functions_b));
        comparison.hidden_bytes = change - std::min(change, change_in(comparison.peaks));
    }
    if (is_by_stack)
        comparison.moved =
            find_moved_lines({a.snapshot(), groups_a, functions_a}, {b.snapshot(), groups_b, functions_b}, comparison.by);
}

}  // namespace

ComparedSums::ComparedSums(const std::vector<PeakComparison::Row>& rows) {
    for (const PeakComparison::Row& row : rows) {
        bytes_a += row.bytes_a;
        bytes_b += row.bytes_b;
        count_a += row.count_a;
        count_b += row.count_b;
    }
}

Comparison compare_devices(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis) {
    Comparison comparison{.by = by, .basis = basis};
    PeakGroups groups_a;
    PeakGroups groups_b;
    find_peak(a, comparison, comparison.a, groups_a);
    find_peak(b, comparison, comparison.b, groups_b);
    comparison.peaks = compare_peaks(groups_a, groups_b);
    comparison.settings = compare_settings(a.snapshot(), b.snapshot());
    compare_with_functions(a, groups_a, b, groups_b, comparison);
    return comparison;
}

ComparedStacks ComparedStacks::build(DeviceAnalyses& device, CompareBy by) {
    ComparedStacks built;
    if (by == CompareBy::kind) {
        built.kinds_ = device.kinds();
        return built;
    }
    if (by == CompareBy::module) {
        built.modules_ = device.modules();
        return built;
    }
    const auto lines = device.stack_lines();
    const AllocationColumns& allocations = device.trace().allocations;
    ComparedNames names(device.snapshot(), *lines, by);
    std::unordered_set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (i % k_compared_between_looks == 0) check_stop();
        const StackId stack = allocations.stack[i];
        if (!stack.is_some() || !seen.insert(stack.value).second) continue;
        if (seen.size() % 256 == 0) check_stop();
        built.stacks_[names.name(stack)].push_back(stack);
    }
    return built;
}

std::vector<AllocationId> ComparedStacks::allocations_of(const Timeline& timeline, std::span<const std::string> keys,
                                                         CompareBasis basis) const {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const std::set<std::string_view> wanted(keys.begin(), keys.end());
    std::unordered_set<std::uint32_t> stacks;
    for (const std::string& key : keys) {
        if (const auto found = stacks_.find(key); found != stacks_.end()) {
            for (const StackId stack : found->second) stacks.insert(stack.value);
        }
    }
    const bool is_before = wanted.contains(k_compared_before);
    const bool is_without_stack = wanted.contains(k_compared_no_stack);
    const auto is_meant = [&](std::uint32_t i) {
        if (modules_ != nullptr) return wanted.contains(compared_module(*modules_, AllocationId{i}));
        if (kinds_ != nullptr) return wanted.contains(allocation_kind_name(kinds_->of[i].kind));
        const StackId stack = allocations.stack[i];
        if (is_unknown_from_before(allocations.origin[i], stack)) return is_before;
        return stack.is_some() ? stacks.contains(stack.value) : is_without_stack;
    };
    std::vector<AllocationId> found;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (basis != CompareBasis::all && allocations.origin[i] != Origin::alloc) continue;
        if (is_meant(i)) found.push_back(AllocationId{i});
    }
    return found;
}

}  // namespace snapviewer
