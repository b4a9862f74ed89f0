#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/analysis/report/device_table.h"
#include "core/analysis/report/report.h"
#include "core/analysis/stacks/call_tree.h"
#include "core/base/context.h"
#include "core/base/number_text.h"

// Kinds of allocations, call paths and modules: the report sections as JSON and text, and the SQL tables.
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

namespace {

struct KindRow {
    std::int64_t id;  ///< allocations.id
    const KindOfAllocation* of;
};

const DeviceFields<KindRow> k_kind_fields = {
    {"allocation_id", FieldUnit::id, "allocations.id", &KindRow::id},
    {"kind", FieldUnit::text,
     "'parameter', 'gradient', 'optimizer_state', 'activation', 'temporary', 'communication', 'workspace', "
     "'before_recording' or 'unknown'",
     [](const KindRow& row) { return allocation_kind_name(row.of->kind); }},
    {"because", FieldUnit::text,
     "the evidence for the kind; for 'unknown', why there is none; 'annotated; otherwise gradient' where an annotation says "
     "another kind than stack and lifetime",
     [](const KindRow& row) { return because_text(*row.of); }}};

}  // namespace

TableFunction kinds_table(const AnalysesPointer& analyses) {
    return device_table<RowsInPlace>(
        "kinds", "What each allocation is for, as far as its stack, its lifetime and the file show.", k_kind_fields,
        analyses, [](DeviceAnalyses& device, auto& rows) {
            const auto kinds = device.kinds();
            rows.add(device, kinds->of.size(), [kinds, &device](std::size_t number) -> KindRow {
                return {device.allocation_id(AllocationId{static_cast<std::uint32_t>(number)}), &kinds->of[number]};
            });
        });
}

// Call paths.

namespace {

struct TreeRow {
    std::shared_ptr<const CallTree> tree;
    std::size_t number;

    const CallTree::Node& operator*() const { return tree->nodes[number]; }
};

const DeviceFields<TreeRow> k_tree_fields = {
    device_field<TreeRow>(),
    {"id", FieldUnit::id, "counts from 0 within the device; 0 is everything", &TreeRow::number},
    {"parent", FieldUnit::id, "id of the calling frame; NULL for the first row",
     [](const TreeRow& row) { return row.number == 0 ? std::nullopt : std::optional((*row).parent); }},
    {"depth", FieldUnit::count, "0 for the first row", &CallTree::Node::depth},
    {"frame", FieldUnit::text, "file:line:function", [](const TreeRow& row) { return row.tree->text(*row); }},
    {"inclusive", FieldUnit::bytes, "bytes allocated there or in what it calls, as requested",
     &CallTree::Node::inclusive_bytes},
    {"exclusive", FieldUnit::bytes, "of these, what was allocated there directly", &CallTree::Node::exclusive_bytes},
    {"count", FieldUnit::count, "number of allocations, inclusive", &CallTree::Node::count}};

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
                const auto asked = tree_asked(arguments);
                const auto add = [&](DeviceAnalyses& device, auto& rows) {
                    const auto lines = device.stack_lines();
                    const Timeline& timeline = device.timeline();
                    auto tree = make_call_tree(timeline, *lines, timeline.tick_at(Axis::steps, asked.step), asked.frames);
                    const auto kept = std::make_shared<const CallTree>(std::move(tree));
                    for (std::size_t i = 0; i < kept->nodes.size(); ++i) rows.add(device, {kept, i});
                };
                return rows_of_devices(k_tree_fields, *analyses, add);
            }};
}

// Modules.

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

struct ModuleRow {
    const Modules* modules;
    std::shared_ptr<const ModuleTotals> totals;
    std::uint32_t number;  ///< Module number; k_no_module for the memory without a module

    bool is_module() const { return number != k_no_module; }
    const ModuleNode& node() const { return modules->nodes[number]; }
    const ModuleBytes& bytes() const { return is_module() ? totals->all[number] : totals->without; }
    const ModuleBytes& own() const { return is_module() ? totals->own[number] : totals->without; }
};

Field<ModuleRow, DeviceAnalyses> role_field(ModuleRole role, const char* sentence) {
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
    const auto totals = std::make_shared<const ModuleTotals>(module_totals(timeline, modules, timeline.peak_tick()));
    const auto peak_event = peak_event_id(device);
    Json json = {{"peak_bytes", timeline.peak_bytes()},
                 {"peak_event", peak_event ? Json(*peak_event) : Json()},
                 {"no_module", {{"bytes", totals->without.total()}, {"count", totals->without.count}}},
                 {"telling_depth", telling_depth(modules, *totals)},
                 {"tree", Json::array()},
                 {"growing", Json::array()},
                 {"growing_without_steps", Json::array()}};
    add_roles(json["no_module"], totals->without);
    for (const std::uint32_t node : modules_to_show(modules, *totals, least_shown(timeline.peak_bytes()), k_modules_in_json))
        json["tree"].push_back(k_module_fields.json({&modules, totals, node}, device));
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

namespace {

/// Returns the step that `modules(1000)` asks for, or nullopt for the peak if the argument is omitted.
std::optional<double> step_asked(Arguments arguments) {
    if (arguments.empty() || std::holds_alternative<std::monostate>(arguments.front())) return std::optional<double>();
    const auto* step = std::get_if<std::int64_t>(arguments.data());
    if (step == nullptr || *step < 0)
        throw Failure{
            {ErrorCode::bad_query, "modules takes a step of the axis, as in modules(1000), or nothing for the peak"}};
    return std::optional(static_cast<double>(*step));
}

void add_modules(DeviceAnalyses& device, std::optional<double> step, DeviceRows<ModuleRow>& rows) {
    const auto modules = device.modules();
    if (modules->empty()) return;
    const Timeline& timeline = device.timeline();
    const std::uint32_t tick = step ? timeline.tick_at(Axis::steps, *step) : timeline.peak_tick();
    const auto totals = std::make_shared<const ModuleTotals>(module_totals(timeline, *modules, tick));
    for (std::uint32_t i = 0; i < modules->nodes.size(); ++i) rows.add(device, {modules.get(), totals, i});
    rows.add(device, {modules.get(), totals, k_no_module});
}

}  // namespace

TableFunction modules_table(const AnalysesPointer& analyses) {
    return {"modules",
            "Memory by module, where the program says which allocation belongs to which (annotations, metadata): the tree "
            "depth first, then what has no module. Empty if the file names no modules.",
            k_module_fields.columns(),
            {{"step", "INTEGER", "place on the axis, as in alloc_step; without it, the peak"}},
            [analyses](Arguments arguments) {
                const auto step = step_asked(arguments);
                return rows_of_devices(k_module_fields, *analyses,
                                       [&](DeviceAnalyses& device, auto& rows) { add_modules(device, step, rows); });
            }};
}

}  // namespace snapviewer
