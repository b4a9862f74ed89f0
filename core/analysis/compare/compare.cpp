#include "core/analysis/compare/compare.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/base/context.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::compare {
namespace {

constexpr std::array k_by_names = {"source", "function", "stack", "python", "kind", "module"};
constexpr std::array k_basis_names = {"all", "recorded", "alone"};
constexpr std::size_t k_names_between_stop_checks = 256;
constexpr std::uint32_t k_compared_between_stop_checks = 1U << 16U;

template <typename Enum, std::size_t count>
std::optional<Enum> value_named(const std::array<const char*, count>& names, std::string_view name) {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
}

/// Returns the first tick at which recorded allocations hold the most memory, or 0 if the trace recorded no allocation.
std::uint32_t peak_of_recorded(const Timeline& timeline) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::uint64_t now = 0;
    std::uint64_t most = 0;
    std::uint32_t peak = 0;
    for (std::uint32_t tick = 1; tick + 1 < timeline.tick_count(); ++tick) {
        const AllocationId id = timeline.allocation_at_tick(tick);
        if (allocations.origin[id.value] != Origin::alloc) continue;
        const std::uint64_t size_bytes = allocations.size_bytes[id.value];
        now = timeline.is_free(tick) ? now - size_bytes : now + size_bytes;
        if (now <= most) continue;
        most = now;
        peak = tick;
    }
    return peak;
}

/// Returns true if an allocation is left out of a comparison.
bool is_left_out(const AllocationColumns& allocations, AllocationId id, CompareBasis basis) {
    return basis != CompareBasis::all && allocations.origin[id.value] != Origin::alloc;
}

/// Computes the keys and the sources of rows from the numbers in RowNumbers.
class RowNames {
public:
    RowNames(findings::DeviceAnalyses& device, CompareBy by, const RowNumbers& numbers)
        : lines_(*device.stack_lines()), by_(by), numbers_(numbers) {
        if (by == CompareBy::function) keys_.emplace(device.snapshot(), StackIdentity::functions);
        if (by == CompareBy::python) keys_.emplace(device.snapshot(), StackIdentity::python);
    }

    /// Returns the stack of a row; none() for a kind, a module, and allocations without a known stack.
    StackId stack(std::uint32_t number) const {
        const bool is_stack = numbers_.kinds == nullptr && numbers_.modules == nullptr && number != k_before_recording.value;
        return is_stack ? StackId{number} : StackId::none();
    }

    std::string key(std::uint32_t number) {
        if (numbers_.kinds != nullptr) return kinds::allocation_kind_name(static_cast<kinds::AllocationKind>(number));
        if (numbers_.modules != nullptr)
            return number == k_no_module ? "(no module)"
                   : number == 0         ? "(the model itself)"
                                         : numbers_.modules->path(number);
        if (number == k_before_recording.value) return std::string(k_compared_before);
        const StackId stack{number};
        if (!stack.is_some()) return std::string(k_compared_no_stack);
        if (keys_) return key_text(keys_->key(stack));
        return by_ == CompareBy::stack ? key_text(lines_.key(stack)) : lines_.source(stack);
    }

    std::string source(std::uint32_t number) {
        if (numbers_.kinds != nullptr || numbers_.modules != nullptr) return key(number);
        return number == k_before_recording.value ? "(allocated before the recording)" : lines_.source(StackId{number});
    }

private:
    const StackLines& lines_;
    CompareBy by_;
    const RowNumbers& numbers_;
    std::optional<StackKeys> keys_;  ///< Set only if the rows are grouped by a key that `lines_` does not compute
};

}  // namespace

std::vector<std::string> compare_by_names() { return {k_by_names.begin(), k_by_names.end()}; }
std::vector<std::string> compare_basis_names() { return {k_basis_names.begin(), k_basis_names.end()}; }
std::optional<CompareBy> compare_by_named(std::string_view name) { return value_named<CompareBy>(k_by_names, name); }
std::optional<CompareBasis> compare_basis_named(std::string_view name) {
    return value_named<CompareBasis>(k_basis_names, name);
}

RowNumbers::RowNumbers(findings::DeviceAnalyses& device, CompareBy by)
    : kinds(by == CompareBy::kind ? device.kinds() : nullptr),
      modules(by == CompareBy::module ? device.modules() : nullptr) {}

std::uint32_t RowNumbers::of(const AllocationColumns& allocations, AllocationId id) const {
    if (kinds != nullptr) return static_cast<std::uint32_t>(kinds->of[id.value].kind);
    if (modules != nullptr) return modules->empty() ? k_no_module : modules->of[id.value].module;
    return making_stack(allocations, id).value;
}

PeakGroups group_peak(findings::DeviceAnalyses& device, CompareBy by, CompareBasis basis) {
    const Timeline& timeline = device.timeline();
    const AllocationColumns& allocations = device.trace().allocations;
    const RowNumbers numbers(device, by);
    RowNames names(device, by, numbers);
    PeakGroups peak;
    peak.tick = basis == CompareBasis::alone ? peak_of_recorded(timeline) : timeline.peak_tick();
    std::unordered_map<std::uint32_t, PeakGroups::Group*> group_of_number;
    for (const AllocationId id : timeline.live_after_tick(peak.tick)) {
        if (is_left_out(allocations, id, basis)) continue;
        const std::uint32_t number = numbers.of(allocations, id);
        PeakGroups::Group*& group = group_of_number[number];
        if (group == nullptr) {
            if (group_of_number.size() % k_names_between_stop_checks == 0) check_stop();
            group = &peak.groups[names.key(number)];
            if (group->count == 0) {
                group->source = names.source(number);
                group->stack = names.stack(number);
            }
        }
        group->bytes += allocations.size_bytes[id.value];
        ++group->count;
    }
    return peak;
}

PeakComparison compare_peaks(const PeakGroups& a, const PeakGroups& b) {
    PeakComparison comparison;
    for (const auto& [key, group] : a.groups) {
        PeakComparison::Row row{key, group.source, group.bytes, group.count};
        const auto other = b.groups.find(key);
        if (other != b.groups.end()) {
            row.bytes_b = other->second.bytes;
            row.count_b = other->second.count;
        }
        (other == b.groups.end() ? comparison.only_a : comparison.both).push_back(std::move(row));
    }
    for (const auto& [key, group] : b.groups) {
        if (!a.groups.contains(key)) comparison.only_b.push_back({key, group.source, 0, 0, group.bytes, group.count});
    }
    for (auto* rows : {&comparison.only_a, &comparison.both, &comparison.only_b}) {
        std::ranges::sort(*rows, {}, [](const PeakComparison::Row& row) {
            const auto larger = static_cast<std::int64_t>(std::max(row.bytes_a, row.bytes_b));
            return std::tuple(-std::abs(row.delta_bytes()), -larger, std::string_view(row.key));
        });
    }
    return comparison;
}

const char* alignment_method_name(Alignment::Method method) {
    constexpr const char* k_names[] = {"start", "step order", "step number"};
    return k_names[static_cast<std::size_t>(method)];
}

Alignment align_steps(const steps::Steps& a, const steps::Steps& b) {
    const auto run_a = steps::longest_complete_run(a);
    const auto run_b = steps::longest_complete_run(b);
    Alignment alignment;
    if (a.method == steps::StepMethod::profiler && b.method == steps::StepMethod::profiler) {
        std::map<std::string_view, const steps::TrainingStep*> named;
        for (const steps::TrainingStep& step : run_b) named[step.name] = &step;
        for (const steps::TrainingStep& step : run_a) {
            if (const auto other = named.find(step.name); other != named.end())
                alignment.steps.push_back({&step, other->second});
        }
    }
    if (alignment.steps.size() >= 2) {
        alignment.method = Alignment::Method::step_number;
    } else if (!run_a.empty() && !run_b.empty()) {
        alignment.method = Alignment::Method::step_order;
        alignment.steps.clear();
        for (std::size_t i = 0; i < std::min(run_a.size(), run_b.size()); ++i)
            alignment.steps.push_back({&run_a[i], &run_b[i]});
    }
    for (const auto& [one, other] : alignment.steps) {
        alignment.points.push_back({one->begin_step, other->begin_step});
        alignment.points.push_back({one->end_step, other->end_step});
    }
    if (alignment.points.empty()) alignment.points.push_back({0, 0});
    std::ranges::sort(alignment.points);
    alignment.points.erase(std::unique(alignment.points.begin(), alignment.points.end()), alignment.points.end());
    return alignment;
}

namespace {

std::vector<SettingDifference> compare_settings(const Snapshot& a, const Snapshot& b) {
    std::map<std::string_view, std::array<std::string_view, 2>> values;
    for (std::size_t side = 0; side < 2; ++side) {
        for (const auto& [key, value] : (side == 0 ? a : b).settings) {
            check_stop();
            std::string_view& known = values[key][side];
            if (known.empty()) known = value;
        }
    }
    std::vector<SettingDifference> differences;
    for (const auto& [key, value] : values) {
        check_stop();
        const auto& [of_a, of_b] = value;
        const bool is_missing = of_a.empty() || of_b.empty();
        if (of_a != of_b && (is_missing || parse_json(of_a) != parse_json(of_b)))
            differences.push_back({std::string(key), std::string(of_a), std::string(of_b)});
    }
    return differences;
}

/// Bytes of the segments of a device at the end of its file.
std::uint64_t reserved_by_segments(const findings::DeviceAnalyses& device) {
    std::uint64_t bytes = 0;
    for (const Segment& segment : device.snapshot().segments) {
        if (segment.device == device.trace().device) bytes += segment.total_bytes;
    }
    return bytes;
}

ComparedPeak compared_peak(const findings::DeviceAnalyses& device, const PeakGroups& groups) {
    const Timeline& timeline = device.timeline();
    ComparedPeak peak{.moment = timeline.tick_events()[groups.tick],
                      .reserved_bytes = reserved_by_segments(device),
                      .known = known_peak(timeline)};
    for (const auto& [key, group] : groups.groups) peak.bytes += group.bytes;
    if (timeline.allocation_count() == 0) peak.bytes = peak.known.bytes;
    return peak;
}

std::uint64_t change_in(const PeakComparison& peaks) {
    std::uint64_t bytes = 0;
    for (const auto* rows : {&peaks.only_a, &peaks.both, &peaks.only_b}) {
        for (const PeakComparison::Row& row : *rows)
            bytes += std::max(row.bytes_a, row.bytes_b) - std::min(row.bytes_a, row.bytes_b);
    }
    return bytes;
}

/// Sums the bytes that only one side holds, by the code that allocated them, regardless of line numbers. That code is the
/// function of the source line if groups are by source, otherwise the list of all functions of the stack. Leaves out groups
/// without a stack.
std::map<std::string, std::uint64_t> one_sided_code(const findings::DeviceAnalyses& device, const PeakGroups& own,
                                                    const PeakGroups& other, CompareBy by) {
    StackKeys functions(device.snapshot(), StackIdentity::functions);
    std::map<std::string, std::uint64_t> bytes;
    for (const auto& [key, group] : own.groups) {
        if (other.groups.contains(key) || !group.stack.is_some()) continue;
        bytes[by == CompareBy::source ? key.substr(0, key.rfind(':'))  // removes the line from "forward@model.py:102"
                                      : std::to_string(functions.key(group.stack))] += group.bytes;
    }
    return bytes;
}

/// Finds moved lines in a comparison by source, stack or python. `by_function` compares the same peaks by function. Returns
/// nullopt unless the moved bytes are at least half of the smaller one-sided total and 1 % of the higher peak. O(groups +
/// text of the one-sided stacks).
std::optional<MovedLines> find_moved_lines(const Comparison& comparison, const std::map<std::string, std::uint64_t>& only_a,
                                           const std::map<std::string, std::uint64_t>& only_b,
                                           const PeakComparison& by_function) {
    MovedLines moved;
    for (const auto& [code, of_a] : only_a) {
        if (const auto of_b = only_b.find(code); of_b != only_b.end()) moved.bytes += std::min(of_a, of_b->second);
    }
    const std::uint64_t lesser =
        std::min(ComparedSums(comparison.peaks.only_a).bytes_a, ComparedSums(comparison.peaks.only_b).bytes_b);
    const auto bytes = static_cast<double>(moved.bytes);
    const bool is_significant = bytes >= 0.5 * static_cast<double>(lesser) &&
                                bytes >= 0.01 * static_cast<double>(std::max(comparison.a.bytes, comparison.b.bytes));
    if (moved.bytes == 0 || !is_significant) return std::nullopt;
    moved.only_a = {by_function.only_a.size(), ComparedSums(by_function.only_a).bytes_a};
    moved.only_b = {by_function.only_b.size(), ComparedSums(by_function.only_b).bytes_b};
    return moved;
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

Comparison compare_devices(findings::DeviceAnalyses& a, findings::DeviceAnalyses& b, CompareBy by, CompareBasis basis) {
    const PeakGroups groups_a = group_peak(a, by, basis);
    const PeakGroups groups_b = group_peak(b, by, basis);
    Comparison comparison{.by = by,
                          .basis = basis,
                          .a = compared_peak(a, groups_a),
                          .b = compared_peak(b, groups_b),
                          .peaks = compare_peaks(groups_a, groups_b),
                          .settings = compare_settings(a.snapshot(), b.snapshot())};
    if (by == CompareBy::function) return comparison;
    // A comparison by function shows two facts that the rows may hide. If the rows differ by line numbers, moved lines
    // explain differences. If the rows are lines, kinds or modules, changes within one row can cancel out.
    const PeakComparison by_function =
        compare_peaks(group_peak(a, CompareBy::function, basis), group_peak(b, CompareBy::function, basis));
    if (by != CompareBy::stack && by != CompareBy::python) {
        const std::uint64_t change = change_in(by_function);
        comparison.hidden_bytes = change - std::min(change, change_in(comparison.peaks));
    }
    if (by != CompareBy::kind && by != CompareBy::module)
        comparison.moved = find_moved_lines(comparison, one_sided_code(a, groups_a, groups_b, by),
                                            one_sided_code(b, groups_b, groups_a, by), by_function);
    return comparison;
}

ComparedStacks ComparedStacks::build(findings::DeviceAnalyses& device, CompareBy by) {
    ComparedStacks built{RowNumbers(device, by)};
    RowNames names(device, by, built.numbers_);
    const AllocationColumns& allocations = device.trace().allocations;
    std::unordered_set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (i % k_compared_between_stop_checks == 0) check_stop();
        const std::uint32_t number = built.numbers_.of(allocations, AllocationId{i});
        if (!seen.insert(number).second) continue;
        if (seen.size() % k_names_between_stop_checks == 0) check_stop();
        built.numbers_of_rows_[names.key(number)].push_back(number);
    }
    return built;
}

std::vector<AllocationId> ComparedStacks::allocations_of(const Timeline& timeline, std::span<const std::string> keys,
                                                         CompareBasis basis) const {
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::unordered_set<std::uint32_t> wanted;
    for (const std::string& key : keys) {
        if (const auto found = numbers_of_rows_.find(key); found != numbers_of_rows_.end())
            wanted.insert(found->second.begin(), found->second.end());
    }
    std::vector<AllocationId> found;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        const AllocationId id{i};
        if (!is_left_out(allocations, id, basis) && wanted.contains(numbers_.of(allocations, id))) found.push_back(id);
    }
    return found;
}

}  // namespace snapviewer::compare
