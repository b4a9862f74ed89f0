#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/analysis/report/device_table.h"
#include "core/analysis/report/report.h"
#include "core/analysis/stacks/call_tree.h"
#include "core/base/context.h"
#include "core/base/text.h"

// Kinds of allocations, call paths and modules: the report sections as JSON and text, and the SQL tables.
namespace snapviewer::report {
namespace {

using Json = nlohmann::ordered_json;

Json kind_totals_json(const kinds::KindTotals& totals) {
    Json json = Json::object();
    for (std::size_t i = 0; i < totals.size(); ++i) {
        json[kinds::allocation_kind_name(static_cast<kinds::AllocationKind>(i))] = {{"bytes", totals[i].bytes},
                                                                                    {"count", totals[i].count}};
    }
    return json;
}

/// Share of the peak whose kind is unknown, rounded.
double unknown_share(const kinds::Kinds& kinds, std::uint64_t peak_bytes) {
    const std::uint64_t unknown = kinds.at_peak[static_cast<std::size_t>(kinds::AllocationKind::unknown)].bytes;
    return rounded(findings::share_of(unknown, peak_bytes), 4);
}

Json kinds_json(findings::DeviceAnalyses& device) {
    const kinds::Kinds& kinds = *device.kinds();
    const std::uint64_t peak_bytes = device.timeline().peak_bytes();
    Json json = {{"peak_bytes", peak_bytes},
                 {"peak_event", value_or_null(peak_event_id(device))},
                 {"at_peak", kind_totals_json(kinds.at_peak)},
                 {"allocated", kind_totals_json(kinds.allocated)},
                 {"unknown_share_at_peak", unknown_share(kinds, peak_bytes)},
                 {"unknown_because", Json::object()},
                 {"estimate_of_unknown", nullptr},
                 {"stackless_taken_as_backward", kinds.stackless_is_backward_from.has_value()}};
    for (const auto& [reason, bytes] : kinds.unknown_at_peak)
        json["unknown_because"][kinds::kind_reason_text(reason)] = bytes;
    if (const auto& estimate = kinds.estimate_of_before_recording) {
        json["estimate_of_unknown"] = {{"parameter", estimate->parameter_bytes},
                                       {"optimizer_state", estimate->optimizer_state_bytes},
                                       {"unexplained", estimate->unexplained_bytes},
                                       {"of", estimate->of_bytes}};
    }
    return json;
}

std::string kinds_text(findings::DeviceAnalyses& device) {
    return fmt::format("at the {}: {}\n", peak_moment_word(device.timeline()),
                       findings::kinds_words(device.kinds()->at_peak, [](kinds::AllocationKind kind, std::uint64_t bytes) {
                           return bytes > 0 || kind == kinds::AllocationKind::unknown;
                       }));
}

struct KindRow {
    std::int64_t id;  ///< id of the allocation, as in `allocations.id`
    const kinds::KindOfAllocation* of;
};

const DeviceFields<KindRow> k_kind_fields = {
    {"allocation_id", FieldUnit::id, "allocations.id", &KindRow::id},
    {"kind", FieldUnit::text,
     "'parameter', 'gradient', 'optimizer_state', 'activation', 'temporary', 'communication', 'workspace', "
     "'before_recording' or 'unknown'",
     [](const KindRow& row) { return kinds::allocation_kind_name(row.of->kind); }},
    {"because", FieldUnit::text,
     "the evidence for the kind; for 'unknown', why there is none; 'annotated; otherwise gradient' where an annotation says "
     "another kind than stack and lifetime",
     [](const KindRow& row) { return kinds::because_text(*row.of); }}};

}  // namespace

const ReportSection k_kinds_section = {"kinds", kinds_json, kinds_text};

TableFunction kinds_table(const AnalysesPointer& analyses) {
    return device_table<RowsInPlace>(
        "kinds", "What each allocation is for, as far as its stack, its lifetime and the file show.", k_kind_fields,
        analyses, [](findings::DeviceAnalyses& device, auto& rows) {
            const kinds::Kinds& kinds = *device.kinds();
            rows.add(device, kinds.of.size(), [&](std::size_t number) -> KindRow {
                return {device.allocation_id(AllocationId{static_cast<std::uint32_t>(number)}), &kinds.of[number]};
            });
        });
}

// The report section and the SQL tables about call paths.

namespace {

struct TreeRow {
    std::shared_ptr<const stacks::CallTree> tree;
    std::size_t number;

    const stacks::CallTree::Node& operator*() const { return tree->nodes[number]; }
};

const DeviceFields<TreeRow> k_tree_fields = {
    device_field<TreeRow>(),
    {"id", FieldUnit::id, "counts from 0 within the device; 0 is everything", &TreeRow::number},
    {"parent", FieldUnit::id, "id of the calling frame; NULL for the first row",
     [](const TreeRow& row) { return row.number == 0 ? std::nullopt : std::optional((*row).parent); }},
    {"depth", FieldUnit::count, "0 for the first row", &stacks::CallTree::Node::depth},
    {"frame", FieldUnit::text, "file:line:function", [](const TreeRow& row) { return row.tree->text(*row); }},
    {"inclusive", FieldUnit::bytes, "bytes allocated there or in what it calls, as requested",
     &stacks::CallTree::Node::inclusive_bytes},
    {"exclusive", FieldUnit::bytes, "of these, what was allocated there directly", &stacks::CallTree::Node::exclusive_bytes},
    {"count", FieldUnit::count, "number of allocations, inclusive", &stacks::CallTree::Node::count}};

/// Returns the step that a call such as `modules(1000)` asks for, or nullopt if the argument is omitted. `what_is_needed` is
/// the message about any other argument.
std::optional<double> step_argument(Arguments arguments, const char* what_is_needed) {
    if (std::holds_alternative<std::monostate>(arguments[0])) return std::nullopt;
    const auto* step = std::get_if<std::int64_t>(&arguments[0]);
    if (step == nullptr || *step < 0) throw Failure{{ErrorCode::bad_query, what_is_needed}};
    return static_cast<double>(*step);
}

/// Returns the frames that a call such as `call_tree(1000, 'own')` asks for.
stacks::TreeFrames frames_argument(Arguments arguments) {
    const auto* name = std::get_if<std::string>(&arguments[1]);
    if (name == nullptr) return stacks::TreeFrames::filtered;
    if (const auto frames = stacks::tree_frames_named(*name)) return *frames;
    throw Failure{{ErrorCode::bad_query, fmt::format("call_tree has no frames called '{}'; expected one of {}", *name,
                                                     fmt::join(stacks::tree_frames_names(), ", "))}};
}

}  // namespace

TableFunction call_tree_table(const AnalysesPointer& analyses) {
    return {"call_tree",
            "What is live at a step of the axis, by call path from the outermost frame down; depth first, largest first.",
            k_tree_fields.columns(),
            {{"step", "INTEGER", "place on the axis, as in alloc_step"},
             {"frames", "TEXT",
              "which frames: 'all', 'filtered' (the default), 'python' or 'own'; 'modules': the modules that the program "
              "named"}},
            [analyses](Arguments arguments) {
                constexpr const char* k_needed = "call_tree needs a step of the axis, as in call_tree(1000)";
                const auto step = step_argument(arguments, k_needed);
                if (!step) throw Failure{{ErrorCode::bad_query, k_needed}};
                const stacks::TreeFrames frames = frames_argument(arguments);
                const auto add = [&](findings::DeviceAnalyses& device, auto& rows) {
                    const std::uint32_t tick = device.timeline().tick_at(Axis::steps, *step);
                    const auto tree = std::make_shared<const stacks::CallTree>(
                        stacks::make_call_tree(device.timeline(), *device.stack_lines(), tick, frames));
                    for (std::size_t i = 0; i < tree->nodes.size(); ++i) rows.add(device, {tree, i});
                };
                return rows_of_devices(k_tree_fields, *analyses, add);
            }};
}

// The report section and the SQL tables about modules.

namespace {

constexpr std::size_t k_modules_in_json = 1000;
constexpr std::size_t k_modules_in_text = 24;
constexpr double k_min_peak_share = 0.01;  ///< Minimum share of the peak for a module to be listed

/// The largest modules, in the order of the tree: each module follows its parent.
std::vector<std::uint32_t> modules_to_show(const Modules& modules, const ModuleTotals& totals, std::uint64_t min_bytes,
                                           std::size_t most) {
    std::vector<std::uint32_t> shown;
    for (std::uint32_t i = 0; i < modules.nodes.size(); ++i) {
        if (totals.all[i].total() >= min_bytes) shown.push_back(i);
    }
    std::ranges::stable_sort(shown, std::greater<>(), [&](std::uint32_t i) { return totals.all[i].total(); });
    if (shown.size() > most) shown.resize(most);
    std::ranges::sort(shown);
    return shown;
}

struct ModuleRow {
    const Modules* modules;
    std::shared_ptr<const ModuleTotals> totals;
    std::uint32_t number;  ///< Module number; k_no_module for the memory without a module

    bool is_module() const { return number != k_no_module; }
    const ModuleNode& node() const { return modules->nodes[number]; }
    const ModuleBytes& bytes() const { return is_module() ? totals->all[number] : totals->without; }
    const ModuleBytes& own() const { return is_module() ? totals->own[number] : totals->without; }
};

Field<ModuleRow, findings::DeviceAnalyses> role_field(ModuleRole role, const char* sentence) {
    return {module_role_name(role), FieldUnit::bytes, sentence,
            [role](const ModuleRow& row) { return row.bytes().by_role[static_cast<std::size_t>(role)]; }};
}

const DeviceFields<ModuleRow> k_module_fields = {
    device_field<ModuleRow>(),
    {"id", FieldUnit::id, "counts from 0 within the device; 0 is the model itself; NULL for the row of what has no module",
     [](const ModuleRow& row) { return row.is_module() ? std::optional(row.number) : std::nullopt; }, k_only_in_tables},
    {"parent", FieldUnit::id, "id of the module it is in; NULL for the model itself",
     [](const ModuleRow& row) {
         return row.is_module() && row.number != 0 ? std::optional(row.node().parent) : std::nullopt;
     },
     k_only_in_tables},
    {"depth", FieldUnit::count, "number of names in its path",
     [](const ModuleRow& row) { return row.is_module() ? row.node().depth : 0; }},
    {"path", FieldUnit::text, "as 'layers.31.mlp'; '' for the model itself, NULL for what has no module",
     [](const ModuleRow& row) { return row.is_module() ? std::optional(row.modules->path(row.number)) : std::nullopt; }},
    {"bytes", FieldUnit::bytes, "live in it and in all modules within it, as requested",
     [](const ModuleRow& row) { return row.bytes().total(); }},
    {"own", FieldUnit::bytes, "of these, in none of the modules within it",
     [](const ModuleRow& row) { return row.own().total(); }},
    role_field(ModuleRole::parameter, "of `bytes`, annotated as parameters"),
    role_field(ModuleRole::gradient, "of `bytes`, annotated as gradients"),
    role_field(ModuleRole::buffer, "of `bytes`, annotated as buffers"),
    role_field(ModuleRole::optimizer, "of `bytes`, annotated as the optimizer's state or allocated in its step"),
    role_field(ModuleRole::other, "of `bytes`, everything else, such as activations"),
    {"count", FieldUnit::count, "number of allocations that `bytes` counts",
     [](const ModuleRow& row) { return row.bytes().count; }}};

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

/// The tree as indented lines.
struct TreeText {
    const Modules& modules;
    const ModuleTotals& totals;
    /// Minimum bytes that a module has outside its listed submodules, for these bytes to get a line of their own.
    std::uint64_t min_bytes;
    std::vector<std::uint32_t> shown;  ///< The listed modules

    /// Returns the lines of a module and of the listed modules in it, largest first.
    std::string lines(std::uint32_t node, std::size_t indent) const {
        std::vector<std::uint32_t> within;
        std::ranges::copy_if(shown, std::back_inserter(within),
                             [&](std::uint32_t each) { return each != 0 && modules.nodes[each].parent == node; });
        std::ranges::stable_sort(within, std::greater<>(), [&](std::uint32_t each) { return totals.all[each].total(); });
        std::string text;
        std::uint64_t left = totals.all[node].total();
        const bool is_wrapping = within.size() == 1 && totals.all[within.front()].total() == left;
        if (!is_wrapping && node != 0) text += amount_line(left, indent++, modules.path(node));
        for (const std::uint32_t each : within) {
            text += lines(each, indent);
            left -= totals.all[each].total();
        }
        if (!within.empty() && left >= (node == 0 ? 1 : min_bytes))
            text += amount_line(left, indent, node == 0 ? "all other modules" : "the rest of " + modules.path(node));
        return text;
    }
};

std::uint64_t min_shown_bytes(std::uint64_t peak_bytes) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(k_min_peak_share * static_cast<double>(peak_bytes)));
}

Json modules_json(findings::DeviceAnalyses& device) {
    const Modules& modules = *device.modules();
    if (modules.empty()) return Json();
    const Timeline& timeline = device.timeline();
    const auto totals = std::make_shared<const ModuleTotals>(module_totals(timeline, modules, timeline.peak_tick()));
    const auto shown = modules_to_show(modules, *totals, min_shown_bytes(timeline.peak_bytes()), k_modules_in_json);
    Json no_module = {{"bytes", totals->without.total()}, {"count", totals->without.count}};
    for (std::size_t i = 0; i < k_module_roles; ++i)
        no_module[module_role_name(static_cast<ModuleRole>(i))] = totals->without.by_role[i];
    const auto node_json = [&](std::uint32_t node) { return k_module_fields.json({&modules, totals, node}, device); };
    const auto growing_json = [&](const growth::GrowingModule& row) {
        return Json{{"path", modules.path(row.module)},
                    {"state", growth::growth_state_name(row.state)},
                    {"slope", row.slope},
                    {"grown", row.grown_bytes},
                    {"rises", row.rises},
                    {"changes", row.changes}};
    };
    const auto lasting_json = [&](const growth::LastingModule& row) {
        return Json{{"path", modules.path(row.module)}, {"from_bytes", row.from_bytes}, {"to_bytes", row.to_bytes}};
    };
    return {{"peak_bytes", timeline.peak_bytes()},
            {"peak_event", value_or_null(peak_event_id(device))},
            {"no_module", no_module},
            {"telling_depth", informative_depth(modules, *totals)},
            {"tree", json_array(shown, node_json)},
            {"growing", json_array(*device.growing_modules(), growing_json)},
            {"growing_without_steps", json_array(*device.lasting_modules(), lasting_json)}};
}

std::string modules_text(findings::DeviceAnalyses& device) {
    const Modules& modules = *device.modules();
    if (modules.empty()) return std::string();
    const Timeline& timeline = device.timeline();
    const ModuleTotals totals = module_totals(timeline, modules, timeline.peak_tick());
    const std::uint64_t described_bytes = totals.all.front().total();
    const std::string roles = described_bytes == 0 ? "" : fmt::format(" ({})", roles_words(totals.all.front()));
    std::string text = fmt::format("by module at the {}: {} of {}{}\n", peak_moment_word(timeline),
                                   format_bytes(described_bytes), format_bytes(timeline.peak_bytes()), roles);
    const std::uint64_t min_bytes = min_shown_bytes(timeline.peak_bytes());
    text += TreeText{modules, totals, min_bytes, modules_to_show(modules, totals, min_bytes, k_modules_in_text)}.lines(0, 0);
    if (totals.without.total() > 0) text += amount_line(totals.without.total(), 0, "no module");
    return text;
}

void add_modules(findings::DeviceAnalyses& device, std::optional<double> step, DeviceRows<ModuleRow>& rows) {
    const Modules& modules = *device.modules();
    if (modules.empty()) return;
    const Timeline& timeline = device.timeline();
    const std::uint32_t tick = step ? timeline.tick_at(Axis::steps, *step) : timeline.peak_tick();
    const auto totals = std::make_shared<const ModuleTotals>(module_totals(timeline, modules, tick));
    for (std::uint32_t i = 0; i < modules.nodes.size(); ++i) rows.add(device, {&modules, totals, i});
    rows.add(device, {&modules, totals, k_no_module});
}

}  // namespace

const ReportSection k_modules_section = {"modules", modules_json, modules_text};

TableFunction modules_table(const AnalysesPointer& analyses) {
    return {"modules",
            "Memory by module, where the program says which allocation belongs to which (annotations, metadata): the tree "
            "depth first, then what has no module. Empty if the file names no modules.",
            k_module_fields.columns(),
            {{"step", "INTEGER", "place on the axis, as in alloc_step; without it, the peak"}},
            [analyses](Arguments arguments) {
                const auto step = step_argument(
                    arguments, "modules takes a step of the axis, as in modules(1000), or nothing for the peak");
                return rows_of_devices(k_module_fields, *analyses, [&](findings::DeviceAnalyses& device, auto& rows) {
                    add_modules(device, step, rows);
                });
            }};
}

}  // namespace snapviewer::report
