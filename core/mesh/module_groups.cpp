#include "core/mesh/module_groups.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/base/budget.h"
#include "core/base/text.h"
#include "core/timeline/modules.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_not_listed = 0xFFFFFFFF;

/// The modules of one level of the module tree, which represent the modules below them. All columns are indexed by module.
struct ModuleLevel {
    std::vector<std::uint32_t> shown_as;  ///< the module of this level whose colour a module has
    std::vector<std::size_t> counts;      ///< number of allocations that are shown as this module
    std::vector<std::uint64_t> bytes;     ///< total size of the allocations among them that are live at the peak
};

ModuleLevel telling_level(const Modules& modules, const ModuleTotals& totals) {
    const std::uint32_t depth = telling_depth(modules, totals);
    ModuleLevel level;
    level.counts.resize(modules.nodes.size());
    level.bytes.resize(modules.nodes.size());
    for (std::uint32_t i = 0; i < modules.nodes.size(); ++i) {
        level.shown_as.push_back(modules.within(i, depth));
        level.bytes[level.shown_as.back()] += totals.own[i].total();
    }
    for (const ModuleOfAllocation& of : modules.of) {
        if (of.module != k_no_module) ++level.counts[level.shown_as[of.module]];
    }
    return level;
}

/// A module in the legend. Hues are assigned in the order of the tree, so that neighbouring modules look different.
struct ColouredModule {
    std::uint32_t module = 0;
    std::size_t hue = 0;
};

/// Returns the modules with allocations, the largest at the peak first, and at most as many as there are distinct colours.
std::vector<ColouredModule> modules_with_colours(const ModuleLevel& level) {
    std::vector<ColouredModule> listed;
    for (std::uint32_t i = 0; i < level.counts.size(); ++i) {
        if (level.counts[i] > 0) listed.push_back({i, listed.size()});
    }
    std::ranges::stable_sort(listed, std::greater<>(), [&](const ColouredModule& each) {
        return std::pair(level.bytes[each.module], level.counts[each.module]);
    });
    if (listed.size() > k_most_telling_modules) listed.resize(k_most_telling_modules);
    return listed;
}

std::string colour_name_of(const Modules& modules, std::uint32_t module) {
    return module == 0 ? "the model itself" : shortened(modules.path(module), limits::k_most_source_bytes);
}

}  // namespace

ColourGroups module_groups(const Timeline& timeline) {
    const Modules modules = find_modules(timeline.snapshot(), timeline.trace());
    const ModuleTotals totals = module_totals(timeline, modules, timeline.peak_tick());
    const ModuleLevel level = telling_level(modules, totals);
    ColourGroups found;
    const auto add = [&found](std::uint32_t& number, std::string name, std::uint32_t colour) {
        number = static_cast<std::uint32_t>(found.groups.size());
        found.groups.push_back({std::move(name), colour, 0, 0});
    };
    std::vector<std::uint32_t> number_of(modules.nodes.size(), k_not_listed);
    for (const ColouredModule& each : modules_with_colours(level))
        add(number_of[each.module], colour_name_of(modules, each.module), group_colour(each.hue));
    std::uint32_t others = k_not_listed;
    std::uint32_t none = k_not_listed;
    const auto count = static_cast<std::uint32_t>(timeline.allocation_count());
    found.group_of.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t module = modules.empty() ? k_no_module : modules.of[i].module;
        std::uint32_t& number = module == k_no_module ? none : number_of[level.shown_as[module]];
        if (number == k_not_listed && module == k_no_module) add(none, "no module", grey_colour());
        if (number == k_not_listed && others == k_not_listed) add(others, "other modules", slate_colour());
        if (number == k_not_listed) number = others;
        found.group_of.push_back(number);
        ++found.groups[number].count;
    }
    count_live_bytes(found, timeline, timeline.peak_tick());
    return found;
}

std::string why_no_module_colours(const Timeline& timeline) {
    const Modules modules = find_modules(timeline.snapshot(), timeline.trace());
    const auto is_named = [](const ModuleOfAllocation& of) { return of.module != k_no_module; };
    return std::ranges::any_of(modules.of, is_named) ? "" : "The file does not say which module an allocation belongs to";
}

}  // namespace snapviewer
