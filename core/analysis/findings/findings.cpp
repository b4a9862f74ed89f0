#include "core/analysis/findings/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <tuple>

#include "core/analysis/findings/analyses.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::findings {

const char* finding_severity_name(FindingSeverity severity) {
    constexpr std::array k_names = {"error", "warning", "notice", "info"};
    return k_names[static_cast<std::size_t>(severity)];
}

double share_of(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<DeviceFinding> find_findings(DeviceAnalyses& device) {
    std::vector<DeviceFinding> found;
    for (const auto add : {add_oom_findings, add_growth_findings, add_reserved_findings, add_peak_findings,
                           add_training_findings, add_kind_findings, add_module_findings, add_recording_findings}) {
        add(device, found);
    }
    // Kinds and holders of the peak have the same bytes. The holders, which are source lines, come first.
    const auto is_last = [](const DeviceFinding& finding) { return finding.code == "kinds"; };
    std::ranges::stable_sort(found, [&](const DeviceFinding& a, const DeviceFinding& b) {
        return std::tuple(a.severity, b.bytes, is_last(a), std::string_view(a.code)) <
               std::tuple(b.severity, a.bytes, is_last(b), std::string_view(b.code));
    });
    return found;
}

std::string kinds_words(const kinds::KindTotals& totals,
                        const std::function<bool(kinds::AllocationKind, std::uint64_t)>& is_listed) {
    std::vector<std::pair<kinds::AllocationKind, std::uint64_t>> listed;
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const auto kind = static_cast<kinds::AllocationKind>(i);
        if (is_listed(kind, totals[i].bytes)) listed.emplace_back(kind, totals[i].bytes);
    }
    std::ranges::stable_sort(listed, std::ranges::greater(), [](const auto& each) { return each.second; });
    std::string words;
    for (const auto& [kind, bytes] : listed)
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", kinds::allocation_kind_words(kind), format_bytes(bytes));
    return words;
}

void sort_by_size(const DeviceAnalyses& device, std::vector<AllocationId>& allocations) {
    std::ranges::stable_sort(allocations, std::ranges::greater(),
                             [&](AllocationId id) { return device.trace().allocations.size_bytes[id.value]; });
}

std::string on_device(const DeviceAnalyses& device) { return fmt::format("device = {}", device.trace().device); }

std::string amount_query(std::string_view amount, std::string_view from, const std::vector<std::string>& conditions,
                         std::string_view end) {
    std::string sql = fmt::format("SELECT {0} AS bytes, human({0}) AS size\nFROM {1}", amount, from);
    if (!conditions.empty()) sql += fmt::format("\nWHERE {}", fmt::join(conditions, "\n  AND "));
    return end.empty() ? sql : fmt::format("{}\n{}", sql, end);
}

std::string amounts_query(std::string_view group, std::string_view amount, std::string_view from,
                          const std::vector<std::string>& conditions) {
    return fmt::format(
        "SELECT {0}, sum({1}) AS bytes, human(sum({1})) AS size, count(*) AS count\nFROM {2}\nWHERE {3}\nGROUP BY 1\n"
        "ORDER BY bytes DESC, 1",
        group, amount, from, fmt::join(conditions, "\n  AND "));
}

// Findings about growth, short-lived allocations, the sources of memory, and missing stacks.

namespace {

/// Returns all `allocations`, beginning with those in `named`, which a report lists.
std::vector<AllocationId> named_first(const std::vector<AllocationId>& named, const std::vector<AllocationId>& allocations) {
    std::vector<AllocationId> all = named;
    std::ranges::copy_if(allocations, std::back_inserter(all),
                         [&](AllocationId id) { return std::ranges::find(named, id) == named.end(); });
    return all;
}

std::vector<AllocationId> allocations_of(const Modules& modules, std::uint32_t module) {
    std::vector<AllocationId> found;
    for (std::uint32_t i = 0; i < modules.of.size(); ++i) {
        if (modules.of[i].module == module) found.push_back(AllocationId{i});
    }
    return found;
}

/// Returns SQL for the bytes that are live before `last_edge` minus those that are live before `first_edge`, among the
/// allocations that meet `condition`.
std::string growth_sql(const DeviceAnalyses& device, std::string_view condition, std::uint32_t first_edge,
                       std::uint32_t last_edge) {
    const auto alive = [&](std::uint32_t edge) {
        return fmt::format("(alloc_event IS NULL OR alloc_event < {0}) AND (free_event IS NULL OR free_event >= {0})",
                           device.event_id(edge));
    };
    const std::string held = fmt::format(
        "(\n"
        "  SELECT iif({}, size, 0) AS before,\n"
        "         iif({}, size, 0) AS after\n"
        "  FROM allocations\n"
        "  WHERE {}\n"
        "    AND {}\n"
        ")",
        alive(first_edge), alive(last_edge), on_device(device), condition);
    return amount_query("sum(after - before)", held, {});
}

void add_leaks(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_named_suspects = 5;
    const growth::Growth& growth = *device.growth();
    const char* step = steps::step_word(growth.training);
    for (const growth::GrowthRow& row : growth.suspects | std::views::take(k_named_suspects)) {
        const bool is_sure = row.state == growth::GrowthState::leak;
        std::string earlier;
        if (row.earlier_count > 0)
            earlier = fmt::format("; {} more from the same stack ({}) predate the recording",
                                  format_count(row.earlier_count), format_bytes(row.earlier_bytes));
        const std::string condition = fmt::format(
            "origin <> 'freed'\n    AND stack_id IN (SELECT id FROM stacks WHERE key = '{}')", key_text(row.stack_key));
        const std::uint32_t last_edge = growth.edges.back();
        found.push_back(
            {.code = is_sure ? "leak" : "possible_leak",
             .severity = is_sure ? FindingSeverity::warning : FindingSeverity::notice,
             .sentence = fmt::format("{} {} by {} per {} (in {} of {} {}s){}.", row.source, is_sure ? "grows" : "may grow",
                                     format_signed_bytes(static_cast<std::int64_t>(row.slope)), step, row.rises, row.changes,
                                     step, earlier),
             .bytes = static_cast<std::uint64_t>(row.grown_bytes),
             .moment = last_edge,
             .allocations = named_first(row.allocations, growth::allocations_of(device.trace(), *device.stack_lines(), row)),
             .named_allocations = row.allocations.size(),
             .sql = row.stack_key == 0
                        ? ""
                        : growth_sql(device, condition, growth.edges[row.held.size() - 1 - row.changes], last_edge)});
    }
}

/// Adds a finding about a module whose own memory grows from `from_edge` to the finding's moment. The finding's sentence
/// lacks its subject, the module.
template <typename Row>
void add_module_growth(DeviceAnalyses& device, const Row& row, DeviceFinding finding, std::uint32_t from_edge,
                       std::vector<DeviceFinding>& found) {
    const Modules& modules = *device.modules();
    const std::string path = modules.path(row.module);
    finding.sentence = (path.empty() ? "The model itself, outside its modules," : "The module " + path) + finding.sentence;
    finding.allocations = named_first(row.allocations, allocations_of(modules, row.module));
    finding.named_allocations = row.allocations.size();
    finding.sql = growth_sql(device, fmt::format("module = '{}'", path), from_edge, *finding.moment);
    found.push_back(std::move(finding));
}

void add_module_leaks(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_named_modules = 3;
    const growth::Growth& growth = *device.growth();
    const char* step = steps::step_word(growth.training);
    const auto is_leak = [](const growth::GrowingModule& row) { return row.state == growth::GrowthState::leak; };
    for (const growth::GrowingModule& row :
         *device.growing_modules() | std::views::filter(is_leak) | std::views::take(k_named_modules)) {
        add_module_growth(device, row,
                          {.code = "module_leak",
                           .severity = FindingSeverity::warning,
                           .sentence = fmt::format(" grows by {} per {} (in {} of {} {}s).",
                                                   format_signed_bytes(static_cast<std::int64_t>(row.slope)), step,
                                                   row.rises, row.changes, step),
                           .bytes = static_cast<std::uint64_t>(row.grown_bytes),
                           .moment = growth.edges.back()},
                          growth.edges[growth.edges.size() - 1 - row.changes], found);
    }
    for (const growth::LastingModule& row : *device.lasting_modules() | std::views::take(k_named_modules)) {
        add_module_growth(
            device, row,
            {.code = "module_growth",
             .severity = FindingSeverity::notice,
             .sentence = fmt::format(" grew over the whole recording, from {} to {}; no training steps were found in it.",
                                     format_bytes(row.from_bytes), format_bytes(row.to_bytes)),
             .bytes = row.to_bytes - row.from_bytes,
             .moment = row.to_edge},
            row.from_edge, found);
    }
}

/// Returns SQL for the result of find_churn() by stack: allocations that are freed before the second further allocation,
/// within the complete steps, or within the whole recording if there are none.
std::string churn_sql(DeviceAnalyses& device) {
    std::vector<std::string> where = {"c.free_event IS NOT NULL", "ifnull(c.second_after > c.free_event, 1)"};
    if (const auto run = steps::longest_complete_run(*device.steps()); !run.empty()) {
        where.push_back(fmt::format("c.alloc_event >= {}", device.event_id(run.front().begin_event)));
        where.push_back(fmt::format("c.alloc_event < {}", device.event_id(run.back().end_event)));
    }
    return amounts_query(
        fmt::format("s.key AS stack_key, ifnull(s.top_frame, '{}') AS source",
                    device.stack_lines()->source(StackId::none())),
        "c.size",
        fmt::format(
            "(SELECT size, stack_id, alloc_event, free_event, lead(alloc_event, 2) OVER (ORDER BY id) AS second_after\n"
            "      FROM allocations WHERE {} AND origin = 'alloc' AND alloc_event IS NOT NULL) c\n"
            "  LEFT JOIN stacks s ON s.id = c.stack_id",
            on_device(device)),
        where);
}

void add_churn(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    constexpr std::uint64_t k_min_outlier_allocations = 100;
    const stacks::Churn& churn = *device.churn();
    const double share = share_of(churn.bytes, churn.of_bytes);
    if (share < 0.30 || churn.of_count < k_min_outlier_allocations || churn.by_stack.empty()) return;
    const stacks::Churn::Row& best = churn.by_stack.front();
    found.push_back({.code = "churn",
                     .sentence = fmt::format("{} of all allocated bytes were freed almost at once; most by {} ({}, {}).",
                                             format_share(churn.bytes, churn.of_bytes), best.source,
                                             counted(best.count, "time"), format_bytes(best.bytes)),
                     .bytes = churn.bytes,
                     .allocations = churn.allocations,
                     .sql = churn_sql(device)});
}

void add_kinds(const DeviceAnalyses& device, const kinds::Kinds& kinds, std::vector<DeviceFinding>& found) {
    constexpr double k_min_share = 0.005;
    const Timeline& timeline = device.timeline();
    if (timeline.peak_bytes() == 0) return;
    const std::string shares = kinds_words(kinds.at_peak, [&](kinds::AllocationKind, std::uint64_t bytes) {
        return share_of(bytes, timeline.peak_bytes()) >= k_min_share;
    });
    const std::uint64_t step = timeline.step_of_tick(timeline.peak_tick());
    found.push_back({.code = "kinds",
                     .sentence = fmt::format("By kind at the {}: {}.", peak_moment_word(timeline), shares),
                     .bytes = timeline.peak_bytes(),
                     .moment = device.peak_moment(),
                     .allocations = timeline.live_after_tick(timeline.peak_tick()),
                     .sql = amounts_query("k.kind", "a.size", "allocations a JOIN kinds k ON k.allocation_id = a.id",
                                          {"a." + on_device(device), fmt::format("a.alloc_step <= {}", step),
                                           fmt::format("(a.free_step IS NULL OR a.free_step > {})", step)})});
}

void add_no_stacks(const DeviceAnalyses& device, const kinds::Kinds& kinds, std::vector<DeviceFinding>& found) {
    const AllocationColumns& allocations = device.trace().allocations;
    std::uint64_t all = 0;
    bool all_backward = kinds.stackless_is_backward_from.has_value();
    DeviceFinding finding{.code = "no_stacks", .severity = FindingSeverity::notice};
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (allocations.origin[i] != Origin::alloc) continue;
        all += allocations.size_bytes[i];
        if (allocations.stack[i].is_some()) continue;
        finding.bytes += allocations.size_bytes[i];
        all_backward = all_backward && allocations.alloc_event[i].value >= *kinds.stackless_is_backward_from;
        finding.allocations.push_back(AllocationId{static_cast<std::uint32_t>(i)});
    }
    if (share_of(finding.bytes, all) < 0.20) return;
    finding.sentence = fmt::format("{} of the recorded bytes have no stack{}.", format_share(finding.bytes, all),
                                   all_backward ? "; they are those of the backward pass" : "");
    if (kinds.stackless_is_backward_from) finding.hint = "Record with stacks=\"all\".";
    finding.sql = amount_query("sum(size)", "allocations", {on_device(device), "origin = 'alloc'", "stack_id IS NULL"});
    found.push_back(std::move(finding));
}

}  // namespace

void add_growth_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    add_leaks(device, found);
    add_module_leaks(device, found);
    add_churn(device, found);
}

void add_kind_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    add_kinds(device, *device.kinds(), found);
    add_no_stacks(device, *device.kinds(), found);
}

// Findings about the memory of modules.

namespace {

/// A module at the most informative depth of the tree (see informative_depth()), or a module above that depth with memory of
/// its own.
struct HeldByModule {
    std::uint32_t module = 0;
    bool is_whole = true;  ///< True if `bytes` includes all submodules
    ModuleBytes bytes;
};

HeldByModule largest_module(const Modules& modules, const ModuleTotals& totals) {
    const std::uint32_t depth = informative_depth(modules, totals);
    HeldByModule largest;
    for (std::uint32_t i = 0; i < modules.nodes.size(); ++i) {
        if (modules.nodes[i].depth > depth) continue;
        const bool is_whole = modules.nodes[i].depth == depth || modules.nodes[i].end == i + 1;
        const ModuleBytes& bytes = is_whole ? totals.all[i] : totals.own[i];
        if (bytes.total() > largest.bytes.total()) largest = {i, is_whole, bytes};
    }
    return largest;
}

std::string role_shares(const ModuleBytes& bytes) {
    const auto of = [&](ModuleRole role) { return bytes.by_role[static_cast<std::size_t>(role)]; };
    std::string words;
    const auto add = [&](ModuleRole role, const char* word) {
        if (of(role) > 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", word, format_bytes(of(role)));
    };
    add(ModuleRole::parameter, "parameters");
    add(ModuleRole::gradient, "gradients");
    add(ModuleRole::buffer, "buffers");
    add(ModuleRole::optimizer, "optimizer");
    if (!words.empty()) add(ModuleRole::other, "other");
    return words.empty() ? "" : fmt::format(": {}", words);
}

/// The allocations of a module that are live at the peak, largest first.
std::vector<AllocationId> allocations_at_peak(const DeviceAnalyses& device, const Modules& modules,
                                              const HeldByModule& held) {
    const Timeline& timeline = device.timeline();
    const std::uint32_t end = held.is_whole ? modules.nodes[held.module].end : held.module + 1;
    std::vector<AllocationId> found;
    std::ranges::copy_if(timeline.live_after_tick(timeline.peak_tick()), std::back_inserter(found), [&](AllocationId id) {
        const std::uint32_t module = modules.of[id.value].module;
        return module != k_no_module && module >= held.module && module < end;
    });
    sort_by_size(device, found);
    return found;
}

}  // namespace

void add_module_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_shown_allocations = 5;
    const Modules& modules = *device.modules();
    if (modules.empty()) return;
    const Timeline& timeline = device.timeline();
    const ModuleTotals totals = module_totals(timeline, modules, timeline.peak_tick());
    const HeldByModule held = largest_module(modules, totals);
    const std::uint64_t bytes = held.bytes.total();
    if (bytes == 0) return;
    const std::string path = modules.path(held.module);
    found.push_back(
        {.code = "largest_module",
         .sentence = fmt::format("{} holds more than any other module at the {}, {} ({}){}.",
                                 path.empty() ? "The model itself" : path, peak_moment_word(timeline), format_bytes(bytes),
                                 format_share(bytes, timeline.peak_bytes()), role_shares(held.bytes)),
         .bytes = bytes,
         .moment = device.peak_moment(),
         .allocations = allocations_at_peak(device, modules, held),
         .named_allocations = k_shown_allocations,
         .sql = amount_query(held.is_whole ? "bytes" : "own", "modules",
                             {on_device(device), fmt::format("path = '{}'", path)})});
}

}  // namespace snapviewer::findings
