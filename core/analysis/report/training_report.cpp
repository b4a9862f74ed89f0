#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/analysis/report/report.h"
#include "core/base/number_text.h"

// The report section about the kinds of allocations.
namespace snapviewer {
namespace {

using Json = nlohmann::ordered_json;

Json kind_totals_json(const KindTotals& totals) {
    Json json = Json::object();
    for (std::size_t i = 0; i < totals.size(); ++i) {
        json[allocation_kind_name(static_cast<AllocationKind>(i))] = {{"bytes", totals[i].bytes},
                                                                      {"count", totals[i].count}};
    }
    return json;
}

std::uint64_t unknown_bytes(const KindTotals& totals) {
    return totals[static_cast<std::size_t>(AllocationKind::unknown)].bytes;
}

double unknown_share(const DeviceAnalyses& device, const Kinds& kinds) {
    const std::uint64_t peak_bytes = device.timeline().peak_bytes();
    if (peak_bytes == 0) return 0;
    return rounded(static_cast<double>(unknown_bytes(kinds.at_peak)) / static_cast<double>(peak_bytes), 4);
}

}  // namespace

Json kinds_json(DeviceAnalyses& device) {
    const auto made = device.kinds();
    const Kinds& kinds = *made;
    const Timeline& timeline = device.timeline();
    const auto peak_event = peak_event_id(device);
    Json json = {{"peak_bytes", timeline.peak_bytes()},
                 {"peak_event", peak_event ? Json(*peak_event) : Json()},
                 {"at_peak", kind_totals_json(kinds.at_peak)},
                 {"allocated", kind_totals_json(kinds.allocated)},
                 {"unknown_share_at_peak", unknown_share(device, kinds)},
                 {"unknown_because", Json::object()},
                 {"estimate_of_unknown", nullptr},
                 {"stackless_taken_as_backward", kinds.stackless_is_backward_from.has_value()}};
    for (const auto& [reason, bytes] : kinds.unknown_at_peak) json["unknown_because"][kind_reason_text(reason)] = bytes;
    if (const auto& estimate = kinds.estimate_of_before_recording) {
        json["estimate_of_unknown"] = {{"parameter", estimate->parameter_bytes},
                                       {"optimizer_state", estimate->optimizer_state_bytes},
                                       {"unexplained", estimate->unexplained_bytes},
                                       {"of", estimate->of_bytes}};
    }
    return json;
}

std::string kinds_text(DeviceAnalyses& device) {
    const auto made = device.kinds();
    const KindTotals& totals = made->at_peak;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const bool is_unknown = static_cast<AllocationKind>(i) == AllocationKind::unknown;
        if (totals[i].bytes > 0 || is_unknown) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return totals[i].bytes; });
    std::string text;
    for (const std::size_t i : order) {
        if (!text.empty()) text += ", ";
        text += fmt::format("{} {}", allocation_kind_words(static_cast<AllocationKind>(i)), format_bytes(totals[i].bytes));
    }
    return fmt::format("at the {}: {}\n", peak_moment_word(device.timeline()), text);
}

// The report sections about training steps and about growth from step to step.

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_rows_in_text = 5;

Json reason_json(const std::string& reason) { return reason.empty() ? Json() : Json(reason); }

Json step_json(const DeviceAnalyses& device, const TrainingStep& step) {
    return {{"name", step.name},
            {"begin_event", device.event_id(step.begin_event)},
            {"end_event", device.event_id(step.end_event)},
            {"complete", step.is_complete},
            {"begin_step", step.begin_step},
            {"end_step", step.end_step},
            {"allocs", step.allocs},
            {"live_begin", step.live_begin_bytes},
            {"live_end", step.live_end_bytes},
            {"peak_bytes", step.peak_bytes},
            {"peak_event", device.event_id(step.peak_event)}};
}

Json repetition_json(const DeviceAnalyses& device, const Repetition& repeats) {
    return {{"allocations", repeats.allocations},
            {"times", repeats.times},
            {"begin_event", device.event_id(repeats.begin_event)},
            {"end_event", device.event_id(repeats.end_event)},
            {"source", repeats.source},
            {"why", no_step_reason_name(repeats.why)}};
}

Json growth_row_json(const DeviceAnalyses& device, const GrowthRow& row) {
    Json json = {{"stack_key", key_text(row.stack_key)},
                 {"stack_id", row.stack.is_some() ? Json(row.stack.value) : Json()},
                 {"source", row.source},
                 {"state", growth_state_name(row.state)},
                 {"slope", row.slope},
                 {"robust_slope", row.robust_slope},
                 {"grown", row.grown_bytes},
                 {"rises", row.rises},
                 {"changes", row.changes},
                 {"monotone", row.monotone},
                 {"held", row.held},
                 {"left_by_generation", row.left_by_generation},
                 {"earlier", nullptr},
                 {"allocations", Json::array()}};
    if (row.stack_key != 0) json["earlier"] = {{"count", row.earlier_count}, {"bytes", row.earlier_bytes}};
    for (const AllocationId id : row.allocations) json["allocations"].push_back(device.allocation_id(id));
    return json;
}

Json growth_rows_json(const DeviceAnalyses& device, const std::vector<GrowthRow>& rows) {
    Json json = Json::array();
    for (const GrowthRow& row : rows) json.push_back(growth_row_json(device, row));
    return json;
}

Json churn_json(const Churn& churn) {
    Json rows = Json::array();
    for (const Churn::Row& row : churn.by_stack) {
        rows.push_back({{"stack_key", key_text(row.stack_key)},
                        {"source", row.source},
                        {"bytes", row.bytes},
                        {"count", row.count},
                        {"largest", row.largest_bytes},
                        {"bytes_per_step", row.bytes_per_step},
                        {"count_per_step", row.count_per_step}});
    }
    return {{"bytes", churn.bytes},       {"count", churn.count}, {"of_bytes", churn.of_bytes},
            {"of_count", churn.of_count}, {"steps", churn.steps}, {"by_stack", rows}};
}

std::string growth_row_text(const GrowthRow& row, const char* step) {
    return fmt::format("  {}: {}, {} per {}, {} in total, in {} of {} {}s\n", growth_state_name(row.state), row.source,
                       format_signed_bytes(static_cast<std::int64_t>(row.slope)), step, format_signed_bytes(row.grown_bytes),
                       row.rises, row.changes, step);
}

}  // namespace

Json steps_json(DeviceAnalyses& device) {
    const auto made = device.steps();
    const Steps& steps = *made;
    Json json = {{"method", step_method_name(steps.method)},
                 {"confidence", steps.confidence},
                 {"training", steps.training},
                 {"steps", Json::array()},
                 {"complete", steps.complete},
                 {"reason", reason_json(steps.reason)},
                 {"repeats", nullptr}};
    if (steps.repeats) json["repeats"] = repetition_json(device, *steps.repeats);
    for (const TrainingStep& step : steps.steps) json["steps"].push_back(step_json(device, step));
    if (!steps.mark.empty()) json["mark"] = steps.mark;
    if (steps.similarity) json["similarity"] = *steps.similarity;
    return json;
}

std::string steps_text(DeviceAnalyses& device) {
    const auto made = device.steps();
    const Steps& steps = *made;
    if (steps.method == StepMethod::none) return fmt::format("training steps: none found ({})\n", steps.reason);
    const auto run = longest_complete_run(steps);
    std::uint64_t peak_bytes = 0;
    for (const TrainingStep& step : run) peak_bytes = std::max(peak_bytes, step.peak_bytes);
    return fmt::format("{}s: {}, {} complete, by {} (confidence {:.2f}); peak {}, left {} at the end of {}\n",
                       step_word(steps.training), steps.steps.size(), steps.complete, step_method_name(steps.method),
                       steps.confidence, format_bytes(peak_bytes), format_bytes(run.back().live_end_bytes), run.back().name);
}

Json growth_json(DeviceAnalyses& device) {
    const auto steps = device.steps();
    const auto made = device.growth();
    const auto churn = device.churn();
    const Growth& growth = *made;
    Json json = {{"method", step_method_name(steps->method)},
                 {"confidence", steps->confidence},
                 {"training", growth.training},
                 {"steps", growth.steps},
                 {"warmup", growth.warmup},
                 {"suspects", growth_rows_json(device, growth.suspects)},
                 {"settled", growth_rows_json(device, growth.settled)},
                 {"total", nullptr},
                 {"reason", reason_json(growth.reason)},
                 {"churn", churn_json(*churn)}};
    if (growth.edges.empty()) return json;
    json["total"] = {{"held", growth.held}, {"slope", growth.slope}, {"grown", growth.grown_bytes}};
    json["edges"] = Json::array();
    for (const std::uint32_t edge : growth.edges) json["edges"].push_back(device.event_id(edge));
    return json;
}

std::string growth_text(DeviceAnalyses& device) {
    const auto made = device.growth();
    const Growth& growth = *made;
    if (growth.edges.empty()) return std::string();
    const char* step = step_word(growth.training);
    if (growth.suspects.empty())
        return fmt::format("growth: nothing grows with every {}, over {}\n", step, counted(growth.steps, step));
    std::string text = fmt::format("growth over {}{}:\n", counted(growth.steps, step), warmup_words(growth.warmup));
    for (std::size_t i = 0; i < growth.suspects.size() && i < k_rows_in_text; ++i)
        text += growth_row_text(growth.suspects[i], step);
    return text;
}

// The report section about the memory of modules.

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_modules_in_json = 1000;
constexpr std::size_t k_modules_in_text = 24;
constexpr double k_least_share = 0.01;  ///< Minimum share of the peak for a module to be listed

/// The largest modules, in the order of the tree: each module follows its parent.
std::vector<std::uint32_t> modules_to_show(const Modules& modules, const ModuleTotals& totals, std::uint64_t least_bytes,
                                           std::size_t most) {
    std::vector<std::uint32_t> shown;
    for (std::uint32_t i = 0; i < modules.nodes.size(); ++i) {
        if (totals.all[i].total() >= least_bytes) shown.push_back(i);
    }
    std::ranges::stable_sort(shown, std::greater<>(), [&](std::uint32_t i) { return totals.all[i].total(); });
    if (shown.size() > most) shown.resize(most);
    std::ranges::sort(shown);
    return shown;
}

void add_roles(Json& json, const ModuleBytes& bytes) {
    for (std::size_t i = 0; i < k_module_roles; ++i) json[module_role_name(static_cast<ModuleRole>(i))] = bytes.by_role[i];
}

Json module_json(const Modules& modules, const ModuleTotals& totals, std::uint32_t node) {
    Json json = {{"path", modules.path(node)},
                 {"depth", modules.nodes[node].depth},
                 {"bytes", totals.all[node].total()},
                 {"own", totals.own[node].total()},
                 {"count", totals.all[node].count}};
    add_roles(json, totals.all[node]);
    return json;
}

std::string roles_words(const ModuleBytes& bytes) {
    std::string words;
    for (std::size_t i = 0; i < k_module_roles; ++i) {
        if (bytes.by_role[i] == 0) continue;
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", module_role_name(static_cast<ModuleRole>(i)),
                             format_bytes(bytes.by_role[i]));
    }
    return words;
}

std::string amount_line(std::uint64_t bytes, std::size_t indent, const std::string& words) {
    return fmt::format("  {:>10}  {:{}}{}\n", format_bytes(bytes), "", 2 * indent, words);
}

/// The tree as indented lines. The rest of a module, outside the listed submodules, gets a line of its own if it has at
/// least `least_bytes`.
class TreeText {
public:
    TreeText(const Modules& modules, const ModuleTotals& totals, std::uint64_t least_bytes)
        : modules_(modules),
          totals_(totals),
          least_bytes_(least_bytes),
          shown_(modules_to_show(modules, totals, least_bytes, k_modules_in_text)) {}

    std::string text() {
        write(0, 0);
        return std::move(text_);
    }

private:
    /// The listed direct submodules of a module, largest first.
    std::vector<std::uint32_t> shown_in(std::uint32_t node) const {
        std::vector<std::uint32_t> within;
        std::ranges::copy_if(shown_, std::back_inserter(within),
                             [&](std::uint32_t each) { return each != 0 && modules_.nodes[each].parent == node; });
        std::ranges::stable_sort(within, std::greater<>(), [this](std::uint32_t each) { return totals_.all[each].total(); });
        return within;
    }

    void write(std::uint32_t node, std::size_t indent) {
        const std::vector<std::uint32_t> within = shown_in(node);
        std::uint64_t left = totals_.all[node].total();
        const bool is_wrapping = within.size() == 1 && totals_.all[within.front()].total() == left;
        if (!is_wrapping && node != 0) text_ += amount_line(left, indent++, modules_.path(node));
        for (const std::uint32_t each : within) {
            write(each, indent);
            left -= totals_.all[each].total();
        }
        const bool is_worth_a_line = !within.empty() && left >= (node == 0 ? 1 : least_bytes_);
        if (is_worth_a_line)
            text_ += amount_line(left, indent, node == 0 ? "all other modules" : "the rest of " + modules_.path(node));
    }

    const Modules& modules_;
    const ModuleTotals& totals_;
    std::uint64_t least_bytes_;
    std::vector<std::uint32_t> shown_;
    std::string text_;
};

std::uint64_t least_shown(std::uint64_t peak_bytes) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(k_least_share * static_cast<double>(peak_bytes)));
}

}  // namespace

Json modules_json(DeviceAnalyses& device) {
    const auto made = device.modules();
    const Modules& modules = *made;
    if (modules.empty()) return Json();
    const auto growing = device.growing_modules();
    const auto lasting = device.lasting_modules();
    const Timeline& timeline = device.timeline();
    const ModuleTotals totals = module_totals(timeline, modules, timeline.peak_tick());
    const auto peak_event = peak_event_id(device);
    Json json = {{"peak_bytes", timeline.peak_bytes()},
                 {"peak_event", peak_event ? Json(*peak_event) : Json()},
                 {"no_module", {{"bytes", totals.without.total()}, {"count", totals.without.count}}},
                 {"telling_depth", telling_depth(modules, totals)},
                 {"tree", Json::array()},
                 {"growing", Json::array()},
                 {"growing_without_steps", Json::array()}};
    add_roles(json["no_module"], totals.without);
    for (const std::uint32_t node : modules_to_show(modules, totals, least_shown(timeline.peak_bytes()), k_modules_in_json))
        json["tree"].push_back(module_json(modules, totals, node));
    for (const GrowingModule& row : *growing) {
        json["growing"].push_back({{"path", modules.path(row.module)},
                                   {"state", growth_state_name(row.state)},
                                   {"slope", row.slope},
                                   {"grown", row.grown_bytes},
                                   {"rises", row.rises},
                                   {"changes", row.changes}});
    }
    for (const LastingModule& row : *lasting) {
        json["growing_without_steps"].push_back(
            {{"path", modules.path(row.module)}, {"from_bytes", row.from_bytes}, {"to_bytes", row.to_bytes}});
    }
    return json;
}

std::string modules_text(DeviceAnalyses& device) {
    const auto made = device.modules();
    const Modules& modules = *made;
    if (modules.empty()) return std::string();
    const Timeline& timeline = device.timeline();
    const ModuleTotals totals = module_totals(timeline, modules, timeline.peak_tick());
    const std::uint64_t told_bytes = totals.all.front().total();
    const std::string roles = told_bytes == 0 ? "" : fmt::format(" ({})", roles_words(totals.all.front()));
    std::string text = fmt::format("by module at the {}: {} of {}{}\n", peak_moment_word(timeline), format_bytes(told_bytes),
                                   format_bytes(timeline.peak_bytes()), roles);
    text += TreeText(modules, totals, least_shown(timeline.peak_bytes())).text();
    if (totals.without.total() > 0) text += amount_line(totals.without.total(), 0, "no module");
    return text;
}

}  // namespace snapviewer
