#include "core/analysis/compare/compare.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/context.h"
#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/timeline/totals.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

constexpr std::array<const char*, 6> k_by_names = {"source", "function", "stack", "python", "kind", "module"};
constexpr std::array<const char*, 3> k_basis_names = {"all", "recorded", "alone"};
constexpr std::size_t k_names_between_looks = 256;

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

/// Returns the tick at which a recording is compared.
std::uint32_t compared_tick(const Timeline& timeline, CompareBasis basis) {
    return basis == CompareBasis::alone ? peak_of_recorded(timeline) : timeline.peak_tick();
}

void sort_by_difference(std::vector<PeakComparison::Row>& rows) {
    std::ranges::sort(rows, [](const PeakComparison::Row& a, const PeakComparison::Row& b) {
        const auto rank = [](const PeakComparison::Row& row) {
            return std::tuple(-std::abs(row.delta_bytes()), -static_cast<std::int64_t>(std::max(row.bytes_a, row.bytes_b)));
        };
        return std::tuple(rank(a), std::string_view(a.key)) < std::tuple(rank(b), std::string_view(b.key));
    });
}

std::map<std::string_view, std::string_view> settings_of(const Snapshot& snapshot) {
    std::map<std::string_view, std::string_view> settings;
    for (const auto& [key, value] : snapshot.settings) {
        check_stop();
        settings.emplace(key, value);
    }
    return settings;
}

bool is_same_value(std::string_view a, std::string_view b) { return a == b || parse_json(a) == parse_json(b); }

}  // namespace

std::vector<std::string> compare_by_names() { return {k_by_names.begin(), k_by_names.end()}; }
std::vector<std::string> compare_basis_names() { return {k_basis_names.begin(), k_basis_names.end()}; }

std::optional<CompareBy> compare_by_named(std::string_view name) {
    const auto found = std::ranges::find(k_by_names, name);
    if (found == k_by_names.end()) return std::nullopt;
    return static_cast<CompareBy>(found - k_by_names.begin());
}

std::optional<CompareBasis> compare_basis_named(std::string_view name) {
    const auto found = std::ranges::find(k_basis_names, name);
    if (found == k_basis_names.end()) return std::nullopt;
    return static_cast<CompareBasis>(found - k_basis_names.begin());
}

ComparedNames::ComparedNames(const Snapshot& snapshot, const StackLines& lines, CompareBy by) : lines_(lines), by_(by) {
    if (by == CompareBy::function) keys_.emplace(snapshot, StackIdentity::functions);
    if (by == CompareBy::python) keys_.emplace(snapshot, StackIdentity::python);
}

std::string ComparedNames::name(StackId stack) {
    if (keys_) return key_text(keys_->key(stack));
    return by_ == CompareBy::stack ? key_text(lines_.key(stack)) : lines_.source(stack);
}

PeakGroups group_peak(const Timeline& timeline, const StackLines& lines, CompareBy by, CompareBasis basis) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    PeakGroups peak;
    peak.tick = compared_tick(timeline, basis);
    ComparedNames names(timeline.snapshot(), lines, by);
    std::unordered_map<std::uint32_t, PeakGroups::Group*> group_of_stack;
    for (const AllocationId id : timeline.live_after_tick(peak.tick)) {
        const Origin origin = allocations.origin[id.value];
        if (basis != CompareBasis::all && origin != Origin::alloc) continue;
        const StackId stack = allocations.stack[id.value];
        PeakGroups::Group* group = nullptr;
        if (is_unknown_from_before(origin, stack)) {
            group = &peak.groups[std::string(k_compared_before)];
            group->source = "(allocated before the recording)";
        } else if (!stack.is_some()) {
            group = &peak.groups[std::string(k_compared_no_stack)];
            group->source = "(no stack)";
        } else {
            PeakGroups::Group*& known = group_of_stack[stack.value];
            if (known == nullptr) {
                if (group_of_stack.size() % k_names_between_looks == 0) check_stop();
                known = &peak.groups[names.name(stack)];
                if (known->count == 0) {
                    known->source = lines.source(stack);
                    known->stack = stack;
                }
            }
            group = known;
        }
        group->bytes += allocations.size_bytes[id.value];
        ++group->count;
    }
    return peak;
}

PeakGroups group_peak_by_kind(const Timeline& timeline, const Kinds& kinds, CompareBasis basis) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    PeakGroups peak;
    peak.tick = compared_tick(timeline, basis);
    for (const AllocationId id : timeline.live_after_tick(peak.tick)) {
        if (basis != CompareBasis::all && allocations.origin[id.value] != Origin::alloc) continue;
        const char* name = allocation_kind_name(kinds.of[id.value].kind);
        PeakGroups::Group& group = peak.groups[name];
        group.source = name;
        group.bytes += allocations.size_bytes[id.value];
        ++group.count;
    }
    return peak;
}

std::string compared_module(const Modules& modules, AllocationId id) {
    const std::uint32_t module = modules.empty() ? k_no_module : modules.of[id.value].module;
    if (module == k_no_module) return "(no module)";
    return module == 0 ? "(the model itself)" : modules.path(module);
}

PeakGroups group_peak_by_module(const Timeline& timeline, const Modules& modules, CompareBasis basis) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    PeakGroups peak;
    peak.tick = compared_tick(timeline, basis);
    for (const AllocationId id : timeline.live_after_tick(peak.tick)) {
        if (basis != CompareBasis::all && allocations.origin[id.value] != Origin::alloc) continue;
        std::string name = compared_module(modules, id);
        PeakGroups::Group& group = peak.groups[name];
        group.source = std::move(name);
        group.bytes += allocations.size_bytes[id.value];
        ++group.count;
    }
    return peak;
}

PeakComparison compare_peaks(const PeakGroups& a, const PeakGroups& b) {
    PeakComparison comparison;
    for (const auto& [key, group] : a.groups) {
        PeakComparison::Row row{key, group.source, group.bytes, group.count, 0, 0};
        const auto other = b.groups.find(key);
        if (other == b.groups.end()) {
            comparison.only_a.push_back(std::move(row));
            continue;
        }
        row.bytes_b = other->second.bytes;
        row.count_b = other->second.count;
        comparison.both.push_back(std::move(row));
    }
    for (const auto& [key, group] : b.groups) {
        if (!a.groups.contains(key)) comparison.only_b.push_back({key, group.source, 0, 0, group.bytes, group.count});
    }
    for (auto* rows : {&comparison.only_a, &comparison.both, &comparison.only_b}) sort_by_difference(*rows);
    return comparison;
}

const char* alignment_method_name(Alignment::Method method) {
    switch (method) {
        case Alignment::Method::start: return "start";
        case Alignment::Method::step_order: return "step order";
        case Alignment::Method::step_number: return "step number";
    }
    return "";
}

Alignment align_steps(const Steps& a, const Steps& b) {
    const auto run_a = longest_complete_run(a);
    const auto run_b = longest_complete_run(b);
    Alignment alignment;
    if (!run_a.empty() && !run_b.empty()) {
        std::map<std::string_view, const TrainingStep*> named;
        for (const TrainingStep& step : run_b) named[step.name] = &step;
        if (a.method == StepMethod::profiler && b.method == StepMethod::profiler) {
            for (const TrainingStep& step : run_a) {
                if (const auto other = named.find(step.name); other != named.end())
                    alignment.steps.push_back({&step, other->second});
            }
        }
        alignment.method = Alignment::Method::step_number;
        if (alignment.steps.size() < 2) {
            alignment.method = Alignment::Method::step_order;
            alignment.steps.clear();
            for (std::size_t i = 0; i < std::min(run_a.size(), run_b.size()); ++i)
                alignment.steps.push_back({&run_a[i], &run_b[i]});
        }
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

std::vector<SettingDifference> compare_settings(const Snapshot& a, const Snapshot& b) {
    const auto of_a = settings_of(a);
    const auto of_b = settings_of(b);
    std::vector<SettingDifference> differences;
    for (const auto& [key, value] : of_a) {
        check_stop();
        const auto other = of_b.find(key);
        if (other == of_b.end() || !is_same_value(value, other->second)) {
            differences.push_back(
                {std::string(key), std::string(value), std::string(other == of_b.end() ? "" : other->second)});
        }
    }
    const auto only_b = static_cast<std::ptrdiff_t>(differences.size());
    for (const auto& [key, value] : of_b) {
        check_stop();
        if (!of_a.contains(key)) differences.push_back({std::string(key), "", std::string(value)});
    }
    std::ranges::inplace_merge(differences, differences.begin() + only_b, {}, &SettingDifference::key);
    return differences;
}

namespace {

/// The bytes that only one side holds: in total, and by code without its line numbers.
struct OneSided {
    OneSided(const GroupedPeak& own, const PeakGroups& other, CompareBy by) {
        StackKeys functions(own.snapshot, StackIdentity::functions);
        for (const auto& [key, group] : own.groups.groups) {
            if (other.groups.contains(key)) continue;
            bytes += group.bytes;
            if (!group.stack.is_some()) continue;
            by_code[by == CompareBy::source ? key.substr(0, key.rfind(':'))  // removes the line from "forward@model.py:102"
                                            : std::to_string(functions.key(group.stack))] += group.bytes;
        }
    }
    std::uint64_t bytes = 0;
    std::map<std::string, std::uint64_t> by_code;
};

std::uint64_t bytes_in_common(const OneSided& a, const OneSided& b) {
    std::uint64_t bytes = 0;
    for (const auto& [code, of_a] : a.by_code) {
        if (const auto of_b = b.by_code.find(code); of_b != b.by_code.end()) bytes += std::min(of_a, of_b->second);
    }
    return bytes;
}

std::uint64_t peak_of(const PeakGroups& groups) {
    std::uint64_t bytes = 0;
    for (const auto& [key, group] : groups.groups) bytes += group.bytes;
    return bytes;
}

MovedLines::Left left_of(const PeakGroups& own, const PeakGroups& other) {
    MovedLines::Left left;
    for (const auto& [key, group] : own.groups) {
        if (other.groups.contains(key)) continue;
        ++left.rows;
        left.bytes += group.bytes;
    }
    return left;
}

std::string left_words(const MovedLines::Left& left, const char* name) {
    if (left.rows == 0) return fmt::format("nothing only in {}", name);
    return fmt::format("{} only in {}", format_bytes(left.bytes), name);
}

}  // namespace

std::optional<MovedLines> find_moved_lines(const GroupedPeak& a, const GroupedPeak& b, CompareBy by) {
    const OneSided only_a(a, b.groups, by);
    const OneSided only_b(b, a.groups, by);
    MovedLines moved;
    moved.bytes = bytes_in_common(only_a, only_b);
    const std::uint64_t lesser = std::min(only_a.bytes, only_b.bytes);
    const std::uint64_t higher_peak = std::max(peak_of(a.groups), peak_of(b.groups));
    const bool is_worth_saying = static_cast<double>(moved.bytes) >= 0.5 * static_cast<double>(lesser) &&
                                 static_cast<double>(moved.bytes) >= 0.01 * static_cast<double>(higher_peak);
    if (moved.bytes == 0 || !is_worth_saying) return std::nullopt;
    moved.only_a = left_of(a.by_function, b.by_function);
    moved.only_b = left_of(b.by_function, a.by_function);
    return moved;
}

std::string moved_lines_sentence(const MovedLines& moved) {
    const std::string common = fmt::format(
        "{} of what only one file holds is the same code at other line numbers; grouped by function (--by function)",
        format_bytes(moved.bytes));
    if (moved.only_a.rows == 0 && moved.only_b.rows == 0)
        return common + ", neither file holds anything that the other does not.";
    return fmt::format("{}, {} and {} remain.", common, left_words(moved.only_a, "A"), left_words(moved.only_b, "B"));
}

}  // namespace snapviewer
