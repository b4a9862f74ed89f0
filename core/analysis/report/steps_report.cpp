#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ranges>

#include "core/analysis/report/device_table.h"
#include "core/analysis/report/report.h"
#include "core/base/text.h"

// Training steps, and growth from step to step: the report sections as JSON and text, and the SQL tables.
namespace snapviewer::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_max_rows_in_text = 5;

struct StepRow {
    const steps::Steps* steps;
    std::size_t number;

    const steps::TrainingStep& operator*() const { return steps->steps[number]; }
};

const DeviceFields<StepRow> k_step_fields = {
    device_field<StepRow>(),
    {"id", FieldUnit::id, "counts from 0 within the device", &StepRow::number, k_only_in_tables},
    {"name", FieldUnit::text, "as named by the profiler, otherwise 'step 0', ...", &steps::TrainingStep::name},
    {"method", FieldUnit::text,
     "how the steps were found: 'profiler', 'marks', 'optimizer stacks', 'forward and backward' or 'period'",
     [](const StepRow& row) { return steps::step_method_name(row.steps->method); }, k_only_in_tables},
    {"confidence", FieldUnit::number, "0 to 1; 1 if the profiler recorded the steps",
     [](const StepRow& row) { return row.steps->confidence; }, k_only_in_tables},
    {"training", FieldUnit::flag, "1 if a backward pass runs in them; 0 for repetitions of something else",
     [](const StepRow& row) { return row.steps->training; }, k_only_in_tables},
    {"begin_event", FieldUnit::event, "events.id of its first event",
     [](const steps::TrainingStep& step, const findings::DeviceAnalyses& device) {
         return device.event_id(step.begin_event);
     }},
    {"end_event", FieldUnit::event, "events.id of the first event after it",
     [](const steps::TrainingStep& step, const findings::DeviceAnalyses& device) {
         return device.event_id(step.end_event);
     }},
    {"begin_step", FieldUnit::step, "place on the axis", &steps::TrainingStep::begin_step},
    {"end_step", FieldUnit::step, "place on the axis", &steps::TrainingStep::end_step},
    {"complete", FieldUnit::flag, "1 if it lies completely within the recording, otherwise 0",
     &steps::TrainingStep::is_complete},
    {"allocs", FieldUnit::count, "number of allocations", &steps::TrainingStep::allocs},
    {"live_begin", FieldUnit::bytes, "bytes live before it, as requested", &steps::TrainingStep::live_begin_bytes},
    {"live_end", FieldUnit::bytes, "bytes live after it, as requested", &steps::TrainingStep::live_end_bytes},
    {"peak_bytes", FieldUnit::bytes, "peak of live bytes within it", &steps::TrainingStep::peak_bytes},
    {"peak_event", FieldUnit::event, "events.id of the first event after which that peak was reached",
     [](const steps::TrainingStep& step, const findings::DeviceAnalyses& device) {
         return device.event_id(step.peak_event);
     }}};

Json repetition_json(const findings::DeviceAnalyses& device, const steps::Repetition& repeats) {
    return {{"allocations", repeats.allocations},
            {"times", repeats.times},
            {"begin_event", device.event_id(repeats.begin_event)},
            {"end_event", device.event_id(repeats.end_event)},
            {"source", repeats.source},
            {"why", steps::no_step_reason_name(repeats.why)}};
}

const char* const k_key_sentence = "stacks.key; sixteen zeros where no stack was recorded";

/// The rows are pointers, because a GrowthRow is large.
const DeviceFields<const growth::GrowthRow*> k_growth_fields = {
    device_field<const growth::GrowthRow*>(),
    {"stack_key", FieldUnit::text, k_key_sentence, [](const growth::GrowthRow& row) { return key_text(row.stack_key); }},
    {"stack_id", FieldUnit::id, "stacks.id of the last allocation; NULL without a stack", &growth::GrowthRow::stack},
    {"source", FieldUnit::text, "stacks.top_frame; without a stack, the size of each allocation",
     &growth::GrowthRow::source},
    {"state", FieldUnit::text,
     "'leak' (grows with nearly every step), 'possible' (the same, but over few steps), 'settled' (hardly grows any more at "
     "the end) or 'fluctuating'",
     [](const growth::GrowthRow& row) { return growth::growth_state_name(row.state); }},
    {"slope", FieldUnit::number, "bytes per step: least squares over the steps after the warm-up",
     &growth::GrowthRow::slope},
    {"robust_slope", FieldUnit::number, "bytes per step by the median of all slopes (Theil-Sen)",
     &growth::GrowthRow::robust_slope},
    {"grown", FieldUnit::bytes, "how many bytes more at the end than at the beginning", &growth::GrowthRow::grown_bytes},
    {"rises", FieldUnit::count, "number of steps after which it held more than before", &growth::GrowthRow::rises},
    {"changes", FieldUnit::count, "number of steps analysed", &growth::GrowthRow::changes}};

Json growth_row_json(findings::DeviceAnalyses& device, const growth::GrowthRow& row) {
    Json json = k_growth_fields.json(&row, device);
    json.update({{"monotone", row.monotone},
                 {"held", row.held},
                 {"left_by_generation", row.left_by_generation},
                 {"earlier", nullptr},
                 {"allocations", json_array(row.allocations, [&](AllocationId id) { return device.allocation_id(id); })}});
    if (row.stack_key != 0) json["earlier"] = {{"count", row.earlier_count}, {"bytes", row.earlier_bytes}};
    return json;
}

struct GenerationRow {
    const growth::GrowthRow* grown;
    std::size_t generation;
    std::size_t step_number;
};

const DeviceFields<GenerationRow> k_generation_fields = {
    device_field<GenerationRow>(),
    {"stack_key", FieldUnit::text, k_key_sentence, [](const GenerationRow& row) { return key_text(row.grown->stack_key); }},
    {"step_id", FieldUnit::id, "steps.id", &GenerationRow::step_number},
    {"held", FieldUnit::bytes, "bytes after the step",
     [](const GenerationRow& row) { return row.grown->held[row.generation + 1]; }},
    {"left", FieldUnit::bytes, "bytes made in it that outlive the last of the number of steps analysed",
     [](const GenerationRow& row) { return row.grown->left_by_generation[row.generation]; }}};

/// Calls `visit` with each stack that holds more at the end than at the beginning.
template <typename Visit>
void for_each_grown(const growth::Growth& growth, Visit visit) {
    for (const auto* rows : {&growth.suspects, &growth.settled}) std::ranges::for_each(*rows, visit);
}

Json churn_json(const stacks::Churn& churn) {
    const auto row_json = [](const stacks::Churn::Row& row) {
        return Json{{"stack_key", key_text(row.stack_key)},
                    {"source", row.source},
                    {"bytes", row.bytes},
                    {"count", row.count},
                    {"largest", row.largest_bytes},
                    {"bytes_per_step", row.bytes_per_step},
                    {"count_per_step", row.count_per_step}};
    };
    return {{"bytes", churn.bytes},       {"count", churn.count}, {"of_bytes", churn.of_bytes},
            {"of_count", churn.of_count}, {"steps", churn.steps}, {"by_stack", json_array(churn.by_stack, row_json)}};
}

Json steps_json(findings::DeviceAnalyses& device) {
    const steps::Steps& steps = *device.steps();
    Json json = {{"method", steps::step_method_name(steps.method)},
                 {"confidence", steps.confidence},
                 {"training", steps.training},
                 {"steps", Json::array()},
                 {"complete", steps.complete},
                 {"reason", value_or_null(null_if_empty(steps.reason))},
                 {"repeats", nullptr}};
    if (steps.repeats) json["repeats"] = repetition_json(device, *steps.repeats);
    for (std::size_t i = 0; i < steps.steps.size(); ++i) json["steps"].push_back(k_step_fields.json({&steps, i}, device));
    if (!steps.mark.empty()) json["mark"] = steps.mark;
    if (steps.similarity) json["similarity"] = *steps.similarity;
    return json;
}

std::string steps_text(findings::DeviceAnalyses& device) {
    const steps::Steps& steps = *device.steps();
    if (steps.method == steps::StepMethod::none) return fmt::format("training steps: none found ({})\n", steps.reason);
    const auto run = steps::longest_complete_run(steps);
    const std::uint64_t peak_bytes = std::ranges::max_element(run, {}, &steps::TrainingStep::peak_bytes)->peak_bytes;
    return fmt::format("{}s: {}, {} complete, by {} (confidence {:.2f}); peak {}, left {} at the end of {}\n",
                       steps::step_word(steps.training), steps.steps.size(), steps.complete,
                       steps::step_method_name(steps.method), steps.confidence, format_bytes(peak_bytes),
                       format_bytes(run.back().live_end_bytes), run.back().name);
}

Json growth_json(findings::DeviceAnalyses& device) {
    const steps::Steps& steps = *device.steps();
    const growth::Growth& growth = *device.growth();
    const auto row_json = [&](const growth::GrowthRow& row) { return growth_row_json(device, row); };
    Json json = {{"method", steps::step_method_name(steps.method)},
                 {"confidence", steps.confidence},
                 {"training", growth.training},
                 {"steps", growth.steps},
                 {"warmup", growth.warmup},
                 {"suspects", json_array(growth.suspects, row_json)},
                 {"settled", json_array(growth.settled, row_json)},
                 {"total", nullptr},
                 {"reason", value_or_null(null_if_empty(growth.reason))},
                 {"churn", churn_json(*device.churn())}};
    if (growth.edges.empty()) return json;
    json["total"] = {{"held", growth.held}, {"slope", growth.slope}, {"grown", growth.grown_bytes}};
    json["edges"] = json_array(growth.edges, [&](std::uint32_t edge) { return device.event_id(edge); });
    return json;
}

std::string growth_text(findings::DeviceAnalyses& device) {
    const growth::Growth& growth = *device.growth();
    if (growth.edges.empty()) return std::string();
    const char* step = steps::step_word(growth.training);
    if (growth.suspects.empty())
        return fmt::format("growth: nothing grows with every {}, over {}\n", step, counted(growth.steps, step));
    std::string text = fmt::format("growth over {}{}:\n", counted(growth.steps, step), growth::warmup_words(growth.warmup));
    for (const growth::GrowthRow& row : growth.suspects | std::views::take(k_max_rows_in_text)) {
        text += fmt::format("  {}: {}, {} per {}, {} in total, in {} of {} {}s\n", growth::growth_state_name(row.state),
                            row.source, format_signed_bytes(static_cast<std::int64_t>(row.slope)), step,
                            format_signed_bytes(row.grown_bytes), row.rises, row.changes, step);
    }
    return text;
}

}  // namespace

const ReportSection k_steps_section = {"steps", steps_json, steps_text};
const ReportSection k_growth_section = {"growth", growth_json, growth_text};

TableFunction steps_table(const AnalysesPointer& analyses) {
    return device_table(
        "steps", "The training steps, as far as they can be distinguished: all events with begin_event <= id < end_event.",
        k_step_fields, analyses, [](findings::DeviceAnalyses& device, auto& rows) {
            const auto steps = device.steps();
            for (std::size_t i = 0; i < steps->steps.size(); ++i) rows.add(device, {steps.get(), i});
        });
}

TableFunction growth_table(const AnalysesPointer& analyses) {
    return device_table(
        "growth",
        "What holds more after the last training step than before the first, by stack: leaks first, sorted by growth.",
        k_growth_fields, analyses, [](findings::DeviceAnalyses& device, auto& rows) {
            for_each_grown(*device.growth(), [&](const growth::GrowthRow& row) { rows.add(device, &row); });
        });
}

TableFunction generations_table(const AnalysesPointer& analyses) {
    return device_table(
        "generations",
        "For each row of growth: what it held after each step, and what was allocated in that step and outlived the last "
        "one.",
        k_generation_fields, analyses, [](findings::DeviceAnalyses& device, auto& rows) {
            const auto steps = device.steps();
            const auto run = steps::longest_complete_run(*steps);
            const auto past_run = static_cast<std::size_t>(run.data() + run.size() - steps->steps.data());
            for_each_grown(*device.growth(), [&](const growth::GrowthRow& row) {
                const std::size_t count = row.left_by_generation.size();
                for (std::size_t i = 0; i < count; ++i) rows.add(device, {&row, i, past_run - count + i});
            });
        });
}

}  // namespace snapviewer::report
