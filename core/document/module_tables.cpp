#include "core/document/module_tables.h"

#include "core/document/table_rows.h"

namespace snapviewer {
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
