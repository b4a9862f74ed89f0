#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/stacks/call_tree.h"
#include "core/document/analysis_tables.h"

namespace snapviewer {
namespace {

ColumnDoc key_doc() { return text_doc("stack_key", "stacks.key; sixteen zeros where no stack was recorded"); }

struct StepRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const Steps> steps;
    std::size_t number = 0;

    const TrainingStep& step() const { return steps->steps[number]; }
};

const RowColumns<StepRow>& step_columns() {
    static const RowColumns<StepRow> all = {
        {device_doc(), [](const StepRow& row) -> Cell { return device_cell(*row.device); }},
        {integer_doc("id", "counts from 0 within the device"),
         [](const StepRow& row) -> Cell { return size_cell(row.number); }},
        {text_doc("name", "as named by the profiler, otherwise 'step 0', ..."),
         [](const StepRow& row) -> Cell { return row.step().name; }},
        {text_doc("method",
                  "how the steps were found: 'profiler', 'marks', 'optimizer stacks', 'forward and backward' or 'period'"),
         [](const StepRow& row) -> Cell { return std::string(step_method_name(row.steps->method)); }},
        {real_doc("confidence", "0 to 1; 1 if the profiler recorded the steps"),
         [](const StepRow& row) -> Cell { return row.steps->confidence; }},
        {integer_doc("training", "1 if a backward pass runs in them; 0 for repetitions of something else"),
         [](const StepRow& row) -> Cell { return std::int64_t{row.steps->training ? 1 : 0}; }},
        {integer_doc("begin_event", "events.id of its first event"),
         [](const StepRow& row) -> Cell { return row.device->event_id(row.step().begin_event); }},
        {integer_doc("end_event", "events.id of the first event after it"),
         [](const StepRow& row) -> Cell { return row.device->event_id(row.step().end_event); }},
        {integer_doc("begin_step", "place on the axis"),
         [](const StepRow& row) -> Cell { return size_cell(row.step().begin_step); }},
        {integer_doc("end_step", "place on the axis"),
         [](const StepRow& row) -> Cell { return size_cell(row.step().end_step); }},
        {integer_doc("complete", "1 if it lies completely within the recording, otherwise 0"),
         [](const StepRow& row) -> Cell { return std::int64_t{row.step().is_complete ? 1 : 0}; }},
        {integer_doc("allocs", "number of allocations"),
         [](const StepRow& row) -> Cell { return size_cell(row.step().allocs); }},
        {integer_doc("live_begin", "bytes live before it, as requested"),
         [](const StepRow& row) -> Cell { return size_cell(row.step().live_begin_bytes); }},
        {integer_doc("live_end", "bytes live after it, as requested"),
         [](const StepRow& row) -> Cell { return size_cell(row.step().live_end_bytes); }},
        {integer_doc("peak_bytes", "peak of live bytes within it"),
         [](const StepRow& row) -> Cell { return size_cell(row.step().peak_bytes); }},
        {integer_doc("peak_event", "events.id of the first event after which that peak was reached"),
         [](const StepRow& row) -> Cell { return row.device->event_id(row.step().peak_event); }}};
    return all;
}

TableFunction steps_table(const AnalysesPointer& analyses) {
    return {"steps",
            "The training steps, as far as they can be distinguished: all events with begin_event <= id < end_event.",
            docs_of(step_columns()),
            {},
            [analyses](Arguments) {
                const auto add = [](DeviceAnalyses& device, std::vector<StepRow>& rows) {
                    const auto steps = device.steps();
                    for (std::size_t i = 0; i < steps->steps.size(); ++i) rows.push_back({&device, steps, i});
                };
                return rows_of_devices<StepRow>(*analyses, add, step_columns());
            }};
}

/// A stack that holds more at the end than at the beginning.
struct GrownRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const Growth> growth;
    const GrowthRow* row = nullptr;
};

void add_grown(DeviceAnalyses& device, std::vector<GrownRow>& rows) {
    const auto growth = device.growth();
    for (const GrowthRow& row : growth->suspects) rows.push_back({&device, growth, &row});
    for (const GrowthRow& row : growth->settled) rows.push_back({&device, growth, &row});
}

const RowColumns<GrownRow>& growth_columns() {
    static const RowColumns<GrownRow> all = {
        {device_doc(), [](const GrownRow& row) -> Cell { return device_cell(*row.device); }},
        {key_doc(), [](const GrownRow& row) -> Cell { return key_text(row.row->stack_key); }},
        {integer_doc("stack_id", "stacks.id of the last allocation; NULL without a stack"),
         [](const GrownRow& row) -> Cell {
             return row.row->stack.is_some() ? Cell(std::int64_t{row.row->stack.value}) : Cell();
         }},
        {text_doc("source", "stacks.top_frame; without a stack, the size of each allocation"),
         [](const GrownRow& row) -> Cell { return row.row->source; }},
        {text_doc("state",
                  "'leak' (grows with nearly every step), 'possible' (the same, but over few steps), 'settled' (hardly "
                  "grows any more at the end) or 'fluctuating'"),
         [](const GrownRow& row) -> Cell { return std::string(growth_state_name(row.row->state)); }},
        {real_doc("slope", "bytes per step: least squares over the steps after the warm-up"),
         [](const GrownRow& row) -> Cell { return row.row->slope; }},
        {real_doc("robust_slope", "bytes per step by the median of all slopes (Theil-Sen)"),
         [](const GrownRow& row) -> Cell { return row.row->robust_slope; }},
        {integer_doc("grown", "how many bytes more at the end than at the beginning"),
         [](const GrownRow& row) -> Cell { return row.row->grown_bytes; }},
        {integer_doc("rises", "number of steps after which it held more than before"),
         [](const GrownRow& row) -> Cell { return size_cell(row.row->rises); }},
        {integer_doc("changes", "number of steps analysed"),
         [](const GrownRow& row) -> Cell { return size_cell(row.row->changes); }}};
    return all;
}

TableFunction growth_table(const AnalysesPointer& analyses) {
    return {"growth",
            "What holds more after the last training step than before the first, by stack: leaks first, sorted by growth.",
            docs_of(growth_columns()),
            {},
            [analyses](Arguments) { return rows_of_devices<GrownRow>(*analyses, add_grown, growth_columns()); }};
}

struct GenerationRow {
    GrownRow grown;
    std::size_t generation = 0;
    std::size_t step_number = 0;
};

const RowColumns<GenerationRow>& generation_columns() {
    static const RowColumns<GenerationRow> all = {
        {device_doc(), [](const GenerationRow& row) -> Cell { return device_cell(*row.grown.device); }},
        {key_doc(), [](const GenerationRow& row) -> Cell { return key_text(row.grown.row->stack_key); }},
        {integer_doc("step_id", "steps.id"), [](const GenerationRow& row) -> Cell { return size_cell(row.step_number); }},
        {integer_doc("held", "bytes after the step"),
         [](const GenerationRow& row) -> Cell { return row.grown.row->held[row.generation + 1]; }},
        {integer_doc("left", "bytes made in it that outlive the last of the number of steps analysed"),
         [](const GenerationRow& row) -> Cell { return row.grown.row->left_by_generation[row.generation]; }}};
    return all;
}

void add_generations(DeviceAnalyses& device, std::vector<GenerationRow>& rows) {
    std::vector<GrownRow> grown;
    add_grown(device, grown);
    const auto steps = device.steps();
    const auto run = longest_complete_run(*steps);
    const auto past_run = static_cast<std::size_t>(run.data() + run.size() - steps->steps.data());
    for (const GrownRow& each : grown) {
        const std::size_t count = each.row->left_by_generation.size();
        for (std::size_t i = 0; i < count; ++i) rows.push_back({each, i, past_run - count + i});
    }
}

TableFunction generations_table(const AnalysesPointer& analyses) {
    return {
        "generations",
        "For each row of growth: what it held after each step, and what was allocated in that step and outlived the "
        "last one.",
        docs_of(generation_columns()),
        {},
        [analyses](Arguments) { return rows_of_devices<GenerationRow>(*analyses, add_generations, generation_columns()); }};
}

/// The kinds of allocations of all devices, read in place without copying them.
class KindRows final : public FunctionRows {
public:
    static FunctionRowsPointer make(const Analyses& analyses) {
        auto rows = std::make_shared<KindRows>();
        std::size_t count = 0;
        for (std::size_t i = 0; i < analyses.device_count(); ++i) {
            const auto kinds = analyses.device(i).kinds();
            rows->kinds_.push_back(kinds);
            rows->ends_.push_back(count += kinds->of.size());
        }
        return std::shared_ptr<const FunctionRows>(std::move(rows));
    }
    std::size_t count() const override { return ends_.empty() ? 0 : ends_.back(); }
    Cell cell(std::size_t row, std::size_t column) const override {
        if (column == 0) return size_cell(row);
        const auto index = static_cast<std::size_t>(std::ranges::upper_bound(ends_, row) - ends_.begin());
        const KindOfAllocation& of = kinds_[index]->of[row - (index == 0 ? 0 : ends_[index - 1])];
        return column == 1 ? std::string(allocation_kind_name(of.kind)) : because_text(of);
    }

private:
    std::vector<std::shared_ptr<const Kinds>> kinds_;
    std::vector<std::size_t> ends_;
};

TableFunction kinds_table(const AnalysesPointer& analyses) {
    return {"kinds",
            "What each allocation is for, as far as its stack, its lifetime and the file show.",
            {integer_doc("allocation_id", "allocations.id"),
             text_doc("kind",
                      "'parameter', 'gradient', 'optimizer_state', 'activation', 'temporary', 'communication', "
                      "'workspace', 'before_recording' or 'unknown'"),
             text_doc("because",
                      "the evidence for the kind; for 'unknown', why there is none; 'annotated; otherwise gradient' where "
                      "an annotation says another kind than stack and lifetime")},
            {},
            [analyses](Arguments) { return KindRows::make(*analyses); }};
}

struct TreeRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const CallTree> tree;
    std::size_t number = 0;

    const CallTree::Node& node() const { return tree->nodes[number]; }
};

const RowColumns<TreeRow>& tree_columns() {
    static const RowColumns<TreeRow> all = {
        {device_doc(), [](const TreeRow& row) -> Cell { return device_cell(*row.device); }},
        {integer_doc("id", "counts from 0 within the device; 0 is everything"),
         [](const TreeRow& row) -> Cell { return size_cell(row.number); }},
        {integer_doc("parent", "id of the calling frame; NULL for the first row"),
         [](const TreeRow& row) -> Cell { return row.number == 0 ? Cell() : Cell(std::int64_t{row.node().parent}); }},
        {integer_doc("depth", "0 for the first row"),
         [](const TreeRow& row) -> Cell { return std::int64_t{row.node().depth}; }},
        {text_doc("frame", "file:line:function"), [](const TreeRow& row) -> Cell { return row.tree->text(row.node()); }},
        {integer_doc("inclusive", "bytes allocated there or in what it calls, as requested"),
         [](const TreeRow& row) -> Cell { return size_cell(row.node().inclusive_bytes); }},
        {integer_doc("exclusive", "of these, what was allocated there directly"),
         [](const TreeRow& row) -> Cell { return size_cell(row.node().exclusive_bytes); }},
        {integer_doc("count", "number of allocations, inclusive"),
         [](const TreeRow& row) -> Cell { return size_cell(row.node().count); }}};
    return all;
}

/// The arguments of a call such as `call_tree(1000, 'own')`.
struct TreeQuestion {
    double step = 0;
    TreeFrames frames = TreeFrames::filtered;
};

TreeQuestion tree_asked(Arguments arguments) {
    const auto* step = std::get_if<std::int64_t>(arguments.data());
    if (step == nullptr || *step < 0)
        throw Failure{{ErrorCode::bad_query, "call_tree needs a step of the axis, as in call_tree(1000)"}};
    TreeQuestion asked{static_cast<double>(*step)};
    const auto* name = arguments.size() < 2 ? nullptr : std::get_if<std::string>(&arguments[1]);
    if (name == nullptr) return asked;
    const auto frames = tree_frames_named(*name);
    if (!frames) {
        throw Failure{{ErrorCode::bad_query, fmt::format("call_tree has no frames called '{}'; expected one of {}", *name,
                                                         fmt::join(tree_frames_names(), ", "))}};
    }
    asked.frames = *frames;
    return asked;
}

TableFunction call_tree_table(const AnalysesPointer& analyses) {
    return {"call_tree",
            "What is live at a step of the axis, by call path from the outermost frame down; depth first, largest first.",
            docs_of(tree_columns()),
            {integer_doc("step", "place on the axis, as in alloc_step"),
             text_doc("frames",
                      "which frames: 'all', 'filtered' (the default), 'python' or 'own'; 'modules': the modules that the "
                      "program named")},
            [analyses](Arguments arguments) {
                const auto asked = tree_asked(arguments);
                const auto add = [&](DeviceAnalyses& device, std::vector<TreeRow>& rows) {
                    const auto lines = device.stack_lines();
                    const Timeline& timeline = device.timeline();
                    auto tree = make_call_tree(timeline, *lines, timeline.tick_at(Axis::steps, asked.step), asked.frames);
                    const auto kept = std::make_shared<const CallTree>(std::move(tree));
                    for (std::size_t i = 0; i < kept->nodes.size(); ++i) rows.push_back({&device, kept, i});
                };
                return rows_of_devices<TreeRow>(*analyses, add, tree_columns());
            }};
}

}  // namespace

std::vector<TableFunction> step_tables(const std::shared_ptr<const Analyses>& analyses) {
    return {steps_table(analyses), growth_table(analyses), generations_table(analyses), kinds_table(analyses),
            call_tree_table(analyses)};
}

namespace {

struct ModuleRow {
    const DeviceAnalyses* device = nullptr;
    std::shared_ptr<const Modules> modules;  ///< Keeps the modules that the row refers to alive
    std::shared_ptr<const ModuleTotals> totals;
    std::uint32_t number = 0;  ///< Module number; k_no_module for the memory without a module

    bool is_module() const { return number != k_no_module; }
    const ModuleBytes& bytes() const { return is_module() ? totals->all[number] : totals->without; }
    const ModuleBytes& own() const { return is_module() ? totals->own[number] : totals->without; }
};

template <ModuleRole role>
RowColumn<ModuleRow> role_column(const char* doc) {
    return {integer_doc(module_role_name(role), doc),
            [](const ModuleRow& row) -> Cell { return size_cell(row.bytes().by_role[static_cast<std::size_t>(role)]); }};
}

const RowColumns<ModuleRow>& module_columns() {
    static const RowColumns<ModuleRow> all = {
        {device_doc(), [](const ModuleRow& row) -> Cell { return device_cell(*row.device); }},
        {integer_doc("id", "counts from 0 within the device; 0 is the model itself; NULL for the row of what has no module"),
         [](const ModuleRow& row) -> Cell { return row.is_module() ? Cell(std::int64_t{row.number}) : Cell(); }},
        {integer_doc("parent", "id of the module it is in; NULL for the model itself"),
         [](const ModuleRow& row) -> Cell {
             const bool has_parent = row.is_module() && row.number != 0;
             return has_parent ? Cell(std::int64_t{row.modules->nodes[row.number].parent}) : Cell();
         }},
        {integer_doc("depth", "number of names in its path"),
         [](const ModuleRow& row) -> Cell {
             return row.is_module() ? std::int64_t{row.modules->nodes[row.number].depth} : std::int64_t{0};
         }},
        {text_doc("path", "as 'layers.31.mlp'; '' for the model itself, NULL for what has no module"),
         [](const ModuleRow& row) -> Cell { return row.is_module() ? Cell(row.modules->path(row.number)) : Cell(); }},
        {integer_doc("bytes", "live in it and in all modules within it, as requested"),
         [](const ModuleRow& row) -> Cell { return size_cell(row.bytes().total()); }},
        {integer_doc("own", "of these, in none of the modules within it"),
         [](const ModuleRow& row) -> Cell { return size_cell(row.own().total()); }},
        role_column<ModuleRole::parameter>("of `bytes`, annotated as parameters"),
        role_column<ModuleRole::gradient>("of `bytes`, annotated as gradients"),
        role_column<ModuleRole::buffer>("of `bytes`, annotated as buffers"),
        role_column<ModuleRole::optimizer>("of `bytes`, annotated as the optimizer's state or allocated in its step"),
        role_column<ModuleRole::other>("of `bytes`, everything else, such as activations"),
        {integer_doc("count", "number of allocations that `bytes` counts"),
         [](const ModuleRow& row) -> Cell { return size_cell(row.bytes().count); }}};
    return all;
}

/// Returns the step that `modules(1000)` asks for, or nullopt for the peak if the argument is omitted.
std::optional<double> step_asked(Arguments arguments) {
    if (arguments.empty() || std::holds_alternative<std::monostate>(arguments.front())) return std::optional<double>();
    const auto* step = std::get_if<std::int64_t>(arguments.data());
    if (step == nullptr || *step < 0)
        throw Failure{
            {ErrorCode::bad_query, "modules takes a step of the axis, as in modules(1000), or nothing for the peak"}};
    return std::optional(static_cast<double>(*step));
}

void add_modules(DeviceAnalyses& device, std::optional<double> step, std::vector<ModuleRow>& rows) {
    const auto modules = device.modules();
    if (modules->empty()) return;
    const Timeline& timeline = device.timeline();
    const std::uint32_t tick = step ? timeline.tick_at(Axis::steps, *step) : timeline.peak_tick();
    const auto totals = std::make_shared<const ModuleTotals>(module_totals(timeline, *modules, tick));
    for (std::uint32_t i = 0; i < modules->nodes.size(); ++i) rows.push_back({&device, modules, totals, i});
    rows.push_back({&device, modules, totals, k_no_module});
}

}  // namespace

TableFunction modules_table(const AnalysesPointer& analyses) {
    return {"modules",
            "Memory by module, where the program says which allocation belongs to which (annotations, metadata): the tree "
            "depth first, then what has no module. Empty if the file names no modules.",
            docs_of(module_columns()),
            {integer_doc("step", "place on the axis, as in alloc_step; without it, the peak")},
            [analyses](Arguments arguments) {
                const auto step = step_asked(arguments);
                const auto add = [&](DeviceAnalyses& device, std::vector<ModuleRow>& rows) {
                    add_modules(device, step, rows);
                };
                return rows_of_devices<ModuleRow>(*analyses, add, module_columns());
            }};
}

AddedColumn module_column(const AnalysesPointer& analyses) {
    return {"allocations",
            "id",
            "compile_context",
            "module",
            "path of the module it belongs to, as the program's annotations or metadata say; '' is the model itself; NULL "
            "where they do not say",
            true,
            [analyses] {
                for (std::size_t i = 0; i < analyses->device_count(); ++i) analyses->device(i).modules();
            },
            [analyses](std::int64_t id) -> Cell {
                for (std::size_t i = analyses->device_count(); i-- > 0;) {
                    DeviceAnalyses& device = analyses->device(i);
                    const std::int64_t row = id - device.allocation_id(AllocationId{0});
                    if (row < 0) continue;
                    const auto modules = device.modules();
                    if (modules->empty()) return {};
                    const std::uint32_t module = modules->of[static_cast<std::size_t>(row)].module;
                    return module == k_no_module ? Cell() : Cell(modules->path(module));
                }
                return {};
            }};
}

}  // namespace snapviewer
