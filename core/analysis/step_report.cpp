// The report sections about training steps and about growth from step to step.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/analysis/report.h"
#include "core/base/units.h"

namespace snapviewer {
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

}  // namespace snapviewer
