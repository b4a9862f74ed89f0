// Findings about growth, short-lived allocations, the sources of memory, and missing stacks.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/analysis/amount_query.h"
#include "core/analysis/analyses.h"
#include "core/analysis/findings.h"
#include "core/base/units.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

/// Stores all `allocations` in `finding`. A report lists only those in `named`, which come first.
void set_allocations(DeviceFinding& finding, const std::vector<AllocationId>& named,
                     const std::vector<AllocationId>& allocations) {
    finding.named_allocations = named.size();
    finding.allocations = named;
    std::ranges::copy_if(allocations, std::back_inserter(finding.allocations),
                         [&](AllocationId id) { return std::ranges::find(named, id) == named.end(); });
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
        "  WHERE device = {}\n"
        "    AND {}\n"
        ")",
        alive(first_edge), alive(last_edge), device.trace().device, condition);
    return amount_query("sum(after - before)", held, {});
}

void add_leaks(const DeviceAnalyses& device, const Growth& growth, const StackLines& lines,
               std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_named_suspects = 5;
    const char* step = step_word(growth.training);
    for (std::size_t i = 0; i < growth.suspects.size() && i < k_named_suspects; ++i) {
        const GrowthRow& row = growth.suspects[i];
        const bool is_sure = row.state == GrowthState::leak;
        DeviceFinding finding{.topic = is_sure ? FindingTopic::leak : FindingTopic::possible_leak,
                              .code = is_sure ? "leak" : "possible_leak"};
        finding.severity = is_sure ? FindingSeverity::warning : FindingSeverity::notice;
        std::string earlier;
        if (row.earlier_count > 0) {
            earlier = fmt::format("; {} more from the same stack ({}) predate the recording",
                                  format_count(row.earlier_count), format_bytes(row.earlier_bytes));
        }
        finding.sentence = fmt::format("{} {} by {} per {} (in {} of {} {}s){}.", row.source, is_sure ? "grows" : "may grow",
                                       format_signed_bytes(static_cast<std::int64_t>(row.slope)), step, row.rises,
                                       row.changes, step, earlier);
        finding.bytes = static_cast<std::uint64_t>(row.grown_bytes);
        const std::uint32_t last_edge = growth.edges.back();
        finding.moment = last_edge;
        set_allocations(finding, row.allocations, allocations_of(device.trace(), lines, row));
        const std::string condition = fmt::format(
            "origin <> 'freed'\n    AND stack_id IN (SELECT id FROM stacks WHERE key = '{}')", key_text(row.stack_key));
        if (row.stack_key != 0)
            finding.sql = growth_sql(device, condition, growth.edges[row.held.size() - 1 - row.changes], last_edge);
        found.push_back(std::move(finding));
    }
}

void add_module_leaks(const DeviceAnalyses& device, const Growth& growth, const Modules& modules,
                      const std::vector<GrowingModule>& growing, std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_named_modules = 3;
    const char* step = step_word(growth.training);
    std::size_t named = 0;
    for (const GrowingModule& row : growing) {
        if (row.state != GrowthState::leak) continue;
        if (named++ == k_named_modules) break;
        const std::string path = modules.path(row.module);
        DeviceFinding finding{.topic = FindingTopic::module_leak, .code = "module_leak"};
        finding.severity = FindingSeverity::warning;
        finding.sentence =
            fmt::format("{} grows by {} per {} (in {} of {} {}s).",
                        path.empty() ? "The model itself, outside its modules," : "The module " + path,
                        format_signed_bytes(static_cast<std::int64_t>(row.slope)), step, row.rises, row.changes, step);
        finding.bytes = static_cast<std::uint64_t>(row.grown_bytes);
        finding.moment = growth.edges.back();
        set_allocations(finding, row.allocations, allocations_of(modules, row.module));
        finding.sql = growth_sql(device, fmt::format("module = '{}'", path),
                                 growth.edges[growth.edges.size() - 1 - row.changes], growth.edges.back());
        found.push_back(std::move(finding));
    }
}

void add_lasting_modules(const DeviceAnalyses& device, const Modules& modules, const std::vector<LastingModule>& lasting,
                         std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_named_modules = 3;
    for (std::size_t i = 0; i < lasting.size() && i < k_named_modules; ++i) {
        const LastingModule& row = lasting[i];
        const std::string path = modules.path(row.module);
        DeviceFinding finding{.topic = FindingTopic::module_growth, .code = "module_growth"};
        finding.severity = FindingSeverity::notice;
        finding.sentence =
            fmt::format("{} grew over the whole recording, from {} to {}; no training steps were found in it.",
                        path.empty() ? "The model itself, outside its modules," : "The module " + path,
                        format_bytes(row.from_bytes), format_bytes(row.to_bytes));
        finding.bytes = row.to_bytes - row.from_bytes;
        finding.moment = row.to_edge;
        set_allocations(finding, row.allocations, allocations_of(modules, row.module));
        finding.sql = growth_sql(device, fmt::format("module = '{}'", path), row.from_edge, row.to_edge);
        found.push_back(std::move(finding));
    }
}

/// Returns SQL for the result of find_churn() by stack: allocations that are freed before the second further allocation,
/// within the complete steps, or within the whole recording if there are none.
std::string churn_sql(const DeviceAnalyses& device, const StackLines& lines, const Steps& steps) {
    std::vector<std::string> where = {"c.free_event IS NOT NULL", "ifnull(c.second_after > c.free_event, 1)"};
    if (const auto run = longest_complete_run(steps); !run.empty()) {
        where.push_back(fmt::format("c.alloc_event >= {}", device.event_id(run.front().begin_event)));
        where.push_back(fmt::format("c.alloc_event < {}", device.event_id(run.back().end_event)));
    }
    return amounts_query(
        fmt::format("s.key AS stack_key, ifnull(s.top_frame, '{}') AS source", lines.source(StackId::none())), "c.size",
        fmt::format(
            "(SELECT size, stack_id, alloc_event, free_event, lead(alloc_event, 2) OVER (ORDER BY id) AS second_after\n"
            "      FROM allocations WHERE device = {} AND origin = 'alloc' AND alloc_event IS NOT NULL) c\n"
            "  LEFT JOIN stacks s ON s.id = c.stack_id",
            device.trace().device),
        where);
}

void add_churn(const Churn& churn, std::string sql, std::vector<DeviceFinding>& found) {
    constexpr std::uint64_t k_least_allocations = 100;
    const double share = share_of(churn.bytes, churn.of_bytes);
    if (share < 0.30 || churn.of_count < k_least_allocations || churn.by_stack.empty()) return;
    const Churn::Row& best = churn.by_stack.front();
    DeviceFinding finding{.topic = FindingTopic::churn, .code = "churn"};
    finding.severity = FindingSeverity::info;
    finding.sentence = fmt::format("{} of all allocated bytes were freed almost at once; most by {} ({}, {}).",
                                   format_share(churn.bytes, churn.of_bytes), best.source, counted(best.count, "time"),
                                   format_bytes(best.bytes));
    finding.bytes = churn.bytes;
    finding.sql = std::move(sql);
    finding.allocations = churn.allocations;
    found.push_back(std::move(finding));
}

void add_kinds(const DeviceAnalyses& device, const Kinds& kinds, std::vector<DeviceFinding>& found) {
    constexpr double k_least_share = 0.005;
    const Timeline& timeline = device.timeline();
    if (timeline.peak_bytes() == 0) return;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < k_allocation_kinds; ++i) {
        if (share_of(kinds.at_peak[i].bytes, timeline.peak_bytes()) >= k_least_share) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t kind) { return kinds.at_peak[kind].bytes; });
    std::string shares;
    for (const std::size_t kind : order) {
        shares +=
            fmt::format("{}{} {}", shares.empty() ? "" : ", ", allocation_kind_words(static_cast<AllocationKind>(kind)),
                        format_bytes(kinds.at_peak[kind].bytes));
    }
    const std::uint64_t step = timeline.step_of_tick(timeline.peak_tick());
    DeviceFinding finding{.topic = FindingTopic::kinds, .code = "kinds"};
    finding.severity = FindingSeverity::info;
    finding.sentence = fmt::format("By kind at the {}: {}.", peak_moment_word(timeline), shares);
    finding.bytes = timeline.peak_bytes();
    if (!is_peak_behind_cut(timeline)) finding.moment = timeline.tick_events()[timeline.peak_tick()];
    finding.allocations = timeline.live_after_tick(timeline.peak_tick());
    finding.sql =
        amounts_query("k.kind", "a.size", "allocations a JOIN kinds k ON k.allocation_id = a.id",
                      {fmt::format("a.device = {}", device.trace().device), fmt::format("a.alloc_step <= {}", step),
                       fmt::format("(a.free_step IS NULL OR a.free_step > {})", step)});
    found.push_back(std::move(finding));
}

void add_no_stacks(const DeviceAnalyses& device, const Kinds& kinds, std::vector<DeviceFinding>& found) {
    const AllocationColumns& allocations = device.trace().allocations;
    std::uint64_t all = 0;
    bool all_backward = kinds.stackless_is_backward_from.has_value();
    DeviceFinding finding{.topic = FindingTopic::no_stacks, .code = "no_stacks"};
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (allocations.origin[i] != Origin::alloc) continue;
        all += allocations.size_bytes[i];
        if (allocations.stack[i].is_some()) continue;
        finding.bytes += allocations.size_bytes[i];
        all_backward = all_backward && allocations.alloc_event[i].value >= *kinds.stackless_is_backward_from;
        finding.allocations.push_back(AllocationId{static_cast<std::uint32_t>(i)});
    }
    const double share = share_of(finding.bytes, all);
    if (share < 0.20) return;
    finding.severity = FindingSeverity::notice;
    finding.sentence = fmt::format("{} of the recorded bytes have no stack{}.", format_share(finding.bytes, all),
                                   all_backward ? "; they are those of the backward pass" : "");
    if (kinds.stackless_is_backward_from) finding.hint = "Record with stacks=\"all\".";
    finding.sql = amount_query("sum(size)", "allocations",
                               {fmt::format("device = {}", device.trace().device), "origin = 'alloc'", "stack_id IS NULL"});
    found.push_back(std::move(finding));
}

}  // namespace

void add_growth_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const auto growth = device.growth();
    const auto churn = device.churn();
    const auto lines = device.stack_lines();
    const auto steps = device.steps();
    const auto modules = device.modules();
    const auto growing = device.growing_modules();
    const auto lasting = device.lasting_modules();
    add_leaks(device, *growth, *lines, found);
    add_module_leaks(device, *growth, *modules, *growing, found);
    add_lasting_modules(device, *modules, *lasting, found);
    add_churn(*churn, churn_sql(device, *lines, *steps), found);
}

void add_kind_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const auto kinds = device.kinds();
    add_kinds(device, *kinds, found);
    add_no_stacks(device, *kinds, found);
}

}  // namespace snapviewer
