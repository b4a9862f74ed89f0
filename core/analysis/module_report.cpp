// The report section about the memory of modules.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/analysis/report.h"
#include "core/base/units.h"

namespace snapviewer {
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
