#include "core/document/step_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/call_tree.h"

namespace snapviewer {
namespace {

using AnalysesOfFile = std::shared_ptr<const Analyses>;
using CallArguments = std::span<const Cell>;
using FunctionRowsResult = Result<std::shared_ptr<const FunctionRows>>;

ColumnDoc integer_words(std::string name, std::string text) { return {std::move(name), "INTEGER", std::move(text)}; }
ColumnDoc real_words(std::string name, std::string text) { return {std::move(name), "REAL", std::move(text)}; }
ColumnDoc text_words(std::string name, std::string text) { return {std::move(name), "TEXT", std::move(text)}; }
ColumnDoc device_words() { return integer_words("device", "device number as in the file"); }
ColumnDoc key_words() { return text_words("stack_key", "stacks.key; sixteen zeros where no stack was recorded"); }

Cell number_of_device(const DeviceAnalyses& device) { return std::int64_t{device.trace().device}; }

/// Rows of all devices, one after another; `add` appends those of one.
template <typename Row, typename Add, typename Read>
FunctionRowsResult rows_of_devices(const Analyses& analyses, Add add, Read read) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < analyses.device_count(); ++i) {
        if (const Status status = add(analyses.device(i), rows); !status) return status.error();
    }
    return list_rows(std::move(rows), read);
}

struct StepRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const Steps> steps;
    std::size_t number = 0;
};

Cell step_cell(const StepRow& row, std::size_t column) {
    const TrainingStep& step = row.steps->steps[row.number];
    switch (column) {
        case 0: return number_of_device(*row.device);
        case 1: return size_cell(row.number);
        case 2: return step.name;
        case 3: return std::string(step_method_name(row.steps->method));
        case 4: return row.steps->confidence;
        case 5: return std::int64_t{row.steps->training ? 1 : 0};
        case 6: return row.device->event_id(step.begin_event);
        case 7: return row.device->event_id(step.end_event);
        case 8: return size_cell(step.begin_step);
        case 9: return size_cell(step.end_step);
        case 10: return std::int64_t{step.is_complete ? 1 : 0};
        case 11: return size_cell(step.allocs);
        case 12: return size_cell(step.live_begin_bytes);
        case 13: return size_cell(step.live_end_bytes);
        case 14: return size_cell(step.peak_bytes);
        default: return row.device->event_id(step.peak_event);
    }
}

TableFunction steps_table(const AnalysesOfFile& analyses) {
    return {
        "steps",
        "The training steps, as far as they can be told apart: all events with begin_event <= id < end_event.",
        {device_words(), integer_words("id", "counts from 0 within the device"),
         text_words("name", "as the profiler called it, else 'step 0', ..."),
         text_words("method",
                    "what they were told by: 'profiler', 'marks', 'optimizer stacks', 'forward and backward' or 'period'"),
         real_words("confidence", "0 to 1; 1 is the profiler's word"),
         integer_words("training", "1 if a backward pass runs in them; 0: repetitions of something else"),
         integer_words("begin_event", "events.id of its first event"),
         integer_words("end_event", "events.id of the first event after it"),
         integer_words("begin_step", "place on the axis"), integer_words("end_step", "place on the axis"),
         integer_words("complete", "0 if it began before the recording or went on after it, else 1"),
         integer_words("allocs", "how many allocations were made"),
         integer_words("live_begin", "bytes live before it, as requested"),
         integer_words("live_end", "bytes live after it, as requested"),
         integer_words("peak_bytes", "the most bytes live within it"),
         integer_words("peak_event", "events.id of the first event after which they were")},
        {},
        [analyses](CallArguments, const Progress* progress) {
            const auto add = [progress](DeviceAnalyses& device, std::vector<StepRow>& rows) -> Status {
                const auto steps = device.steps(progress);
                if (!steps) return steps.error();
                for (std::size_t i = 0; i < (*steps)->steps.size(); ++i) rows.push_back({&device, *steps, i});
                return {};
            };
            return rows_of_devices<StepRow>(*analyses, add, step_cell);
        }};
}

/// A stack that grew; `place` counts the suspects, then the others.
struct GrownRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const Growth> growth;
    const GrowthRow* row = nullptr;
};

Status add_grown(DeviceAnalyses& device, const Progress* progress, std::vector<GrownRow>& rows) {
    const auto growth = device.growth(progress);
    if (!growth) return growth.error();
    for (const GrowthRow& row : (*growth)->suspects) rows.push_back({&device, *growth, &row});
    for (const GrowthRow& row : (*growth)->settled) rows.push_back({&device, *growth, &row});
    return {};
}

Cell grown_cell(const GrownRow& grown, std::size_t column) {
    const GrowthRow& row = *grown.row;
    switch (column) {
        case 0: return number_of_device(*grown.device);
        case 1: return key_text(row.stack_key);
        case 2: return row.stack.is_some() ? Cell(std::int64_t{row.stack.value}) : Cell();
        case 3: return row.source;
        case 4: return std::string(growth_state_name(row.state));
        case 5: return row.slope;
        case 6: return row.robust_slope;
        case 7: return row.grown_bytes;
        case 8: return size_cell(row.rises);
        default: return size_cell(row.changes);
    }
}

TableFunction growth_table(const AnalysesOfFile& analyses) {
    return {
        "growth",
        "What holds more after the last training step than before the first, by stack: leaks first, the most grown first.",
        {device_words(), key_words(), integer_words("stack_id", "stacks.id, of the last allocation; NULL without a stack"),
         text_words("source", "stacks.top_frame; without a stack, the size of each allocation"),
         text_words("state",
                    "'leak' (more with nearly every step), 'possible' (the same over few steps), 'settled' (hardly any "
                    "more at the end) or 'fluctuating'"),
         real_words("slope", "bytes a step: least squares over the steps after the warm-up"),
         real_words("robust_slope", "the same by the median of all slopes (Theil-Sen)"),
         integer_words("grown", "bytes more at the end than at the beginning"),
         integer_words("rises", "steps after which it held more than before them"),
         integer_words("changes", "steps looked at")},
        {},
        [analyses](CallArguments, const Progress* progress) {
            const auto add = [progress](DeviceAnalyses& device, std::vector<GrownRow>& rows) {
                return add_grown(device, progress, rows);
            };
            return rows_of_devices<GrownRow>(*analyses, add, grown_cell);
        }};
}

struct GenerationRow {
    GrownRow grown;
    std::size_t generation = 0;
    std::size_t step_number = 0;
};

Cell generation_cell(const GenerationRow& row, std::size_t column) {
    const GrowthRow& growth = *row.grown.row;
    switch (column) {
        case 0: return number_of_device(*row.grown.device);
        case 1: return key_text(growth.stack_key);
        case 2: return size_cell(row.step_number);
        case 3: return growth.held[row.generation + 1];
        default: return growth.left_by_generation[row.generation];
    }
}

Status add_generations(DeviceAnalyses& device, const Progress* progress, std::vector<GenerationRow>& rows) {
    std::vector<GrownRow> grown;
    if (const Status status = add_grown(device, progress, grown); !status) return status.error();
    const auto steps = device.steps(progress);
    if (!steps) return steps.error();
    const auto run = longest_complete_run(**steps);
    const auto past_run = static_cast<std::size_t>(run.data() + run.size() - (*steps)->steps.data());
    for (const GrownRow& each : grown) {
        const std::size_t count = each.row->left_by_generation.size();
        for (std::size_t i = 0; i < count; ++i) rows.push_back({each, i, past_run - count + i});
    }
    return {};
}

TableFunction generations_table(const AnalysesOfFile& analyses) {
    return {
        "generations",
        "Of each row of growth, what it held after each step, and what was made in that step and outlived the last one.",
        {device_words(), key_words(), integer_words("step_id", "steps.id"), integer_words("held", "bytes after the step"),
         integer_words("left", "bytes made in it that outlive the last of the steps looked at")},
        {},
        [analyses](CallArguments, const Progress* progress) {
            const auto add = [progress](DeviceAnalyses& device, std::vector<GenerationRow>& rows) {
                return add_generations(device, progress, rows);
            };
            return rows_of_devices<GenerationRow>(*analyses, add, generation_cell);
        }};
}

/// The kinds of all devices, read where they lie.
class KindRows final : public FunctionRows {
public:
    static FunctionRowsResult make(const Analyses& analyses, const Progress* progress) {
        auto rows = std::make_shared<KindRows>();
        std::size_t count = 0;
        for (std::size_t i = 0; i < analyses.device_count(); ++i) {
            const auto kinds = analyses.device(i).kinds(progress);
            if (!kinds) return kinds.error();
            rows->kinds_.push_back(*kinds);
            rows->ends_.push_back(count += (*kinds)->of.size());
        }
        return std::shared_ptr<const FunctionRows>(std::move(rows));
    }
    std::size_t count() const override { return ends_.empty() ? 0 : ends_.back(); }
    Cell cell(std::size_t row, std::size_t column) const override {
        if (column == 0) return size_cell(row);
        const auto index = static_cast<std::size_t>(std::ranges::upper_bound(ends_, row) - ends_.begin());
        const KindOfAllocation& of = kinds_[index]->of[row - (index == 0 ? 0 : ends_[index - 1])];
        return std::string(column == 1 ? allocation_kind_name(of.kind) : kind_reason_text(of.reason));
    }

private:
    std::vector<std::shared_ptr<const Kinds>> kinds_;
    std::vector<std::size_t> ends_;
};

TableFunction kinds_table(const AnalysesOfFile& analyses) {
    return {"kinds",
            "What each allocation is for, as far as its stack, its life and the file tell.",
            {integer_words("allocation_id", "allocations.id"),
             text_words("kind",
                        "'parameter', 'gradient', 'optimizer_state', 'activation', 'temporary', 'communication', "
                        "'workspace' or 'unknown'"),
             text_words("because", "what tells so; of 'unknown', why nothing does")},
            {},
            [analyses](CallArguments, const Progress* progress) { return KindRows::make(*analyses, progress); }};
}

struct TreeRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const CallTree> tree;
    std::size_t number = 0;
};

Cell tree_cell(const TreeRow& row, std::size_t column) {
    const CallTree::Node& node = row.tree->nodes[row.number];
    switch (column) {
        case 0: return number_of_device(*row.device);
        case 1: return size_cell(row.number);
        case 2: return row.number == 0 ? Cell() : Cell(std::int64_t{node.parent});
        case 3: return std::int64_t{node.depth};
        case 4: return row.tree->text(node);
        case 5: return size_cell(node.inclusive_bytes);
        case 6: return size_cell(node.exclusive_bytes);
        default: return size_cell(node.count);
    }
}

/// What `call_tree(1000, 'own')` asks for.
struct TreeQuestion {
    double step = 0;
    TreeFrames frames = TreeFrames::filtered;
};

Result<TreeQuestion> tree_asked(CallArguments arguments) {
    const auto* step = std::get_if<std::int64_t>(arguments.data());
    if (step == nullptr || *step < 0)
        return Error{ErrorCode::bad_query, "call_tree wants a step of the axis, as in call_tree(1000)"};
    TreeQuestion asked{static_cast<double>(*step)};
    const auto* name = arguments.size() < 2 ? nullptr : std::get_if<std::string>(&arguments[1]);
    if (name == nullptr) return asked;
    const auto frames = tree_frames_named(*name);
    if (!frames) {
        return Error{ErrorCode::bad_query,
                     fmt::format("call_tree knows no frames '{}', only {}", *name, fmt::join(tree_frames_names(), ", "))};
    }
    asked.frames = *frames;
    return asked;
}

TableFunction call_tree_table(const AnalysesOfFile& analyses) {
    return {
        "call_tree",
        "What is live at a step of the axis, by call path from the outermost frame down; depth first, the largest first.",
        {device_words(), integer_words("id", "counts from 0 within the device; 0 is everything"),
         integer_words("parent", "id of the frame that called; NULL for the first row"),
         integer_words("depth", "0 for the first row"), text_words("frame", "file:line:function"),
         integer_words("inclusive", "bytes allocated there or further in, as requested"),
         integer_words("exclusive", "of these, what was allocated there itself"),
         integer_words("count", "how many allocations, inclusive")},
        {integer_words("step", "place on the axis, as in alloc_step"),
         text_words("frames", "which frames: 'all', 'filtered' (unless given), 'python' or 'own'")},
        [analyses](CallArguments arguments, const Progress* progress) -> FunctionRowsResult {
            const auto asked = tree_asked(arguments);
            if (!asked) return asked.error();
            const auto add = [&](DeviceAnalyses& device, std::vector<TreeRow>& rows) -> Status {
                const auto lines = device.stack_lines(progress);
                if (!lines) return lines.error();
                const Timeline& timeline = device.timeline();
                auto tree =
                    make_call_tree(timeline, **lines, timeline.tick_at(Axis::steps, asked->step), asked->frames, progress);
                if (!tree) return tree.error();
                const auto kept = std::make_shared<const CallTree>(std::move(*tree));
                for (std::size_t i = 0; i < kept->nodes.size(); ++i) rows.push_back({&device, kept, i});
                return {};
            };
            return rows_of_devices<TreeRow>(*analyses, add, tree_cell);
        }};
}

}  // namespace

std::vector<TableFunction> step_tables(const std::shared_ptr<const Analyses>& analyses) {
    return {steps_table(analyses), growth_table(analyses), generations_table(analyses), kinds_table(analyses),
            call_tree_table(analyses)};
}

}  // namespace snapviewer
