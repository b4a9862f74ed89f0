// Findings about the memory of modules.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/analysis/amount_query.h"
#include "core/analysis/analyses.h"
#include "core/analysis/findings.h"
#include "core/base/units.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

/// A module at the most informative depth of the tree (see telling_depth()), or a module above that depth with memory of its
/// own.
struct HeldByModule {
    std::uint32_t module = 0;
    bool is_whole = true;  ///< True if `bytes` includes all submodules
    ModuleBytes bytes;
};

HeldByModule largest_module(const Modules& modules, const ModuleTotals& totals) {
    const std::uint32_t depth = telling_depth(modules, totals);
    HeldByModule largest;
    for (std::uint32_t i = 0; i < modules.nodes.size(); ++i) {
        if (modules.nodes[i].depth > depth) continue;
        const bool is_whole = modules.nodes[i].depth == depth || modules.nodes[i].end == i + 1;
        const ModuleBytes& bytes = is_whole ? totals.all[i] : totals.own[i];
        if (bytes.total() > largest.bytes.total()) largest = {i, is_whole, bytes};
    }
    return largest;
}

std::string role_shares(const ModuleBytes& bytes) {
    const auto of = [&](ModuleRole role) { return bytes.by_role[static_cast<std::size_t>(role)]; };
    std::string words;
    const auto add = [&](ModuleRole role, const char* word) {
        if (of(role) > 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", word, format_bytes(of(role)));
    };
    add(ModuleRole::parameter, "parameters");
    add(ModuleRole::gradient, "gradients");
    add(ModuleRole::buffer, "buffers");
    add(ModuleRole::optimizer, "optimizer");
    if (!words.empty()) add(ModuleRole::other, "other");
    return words.empty() ? "" : fmt::format(": {}", words);
}

/// The allocations of a module that are live at the peak, largest first.
std::vector<AllocationId> allocations_at_peak(const Timeline& timeline, const Modules& modules, const HeldByModule& held) {
    const std::uint32_t end = held.is_whole ? modules.nodes[held.module].end : held.module + 1;
    std::vector<AllocationId> found;
    std::ranges::copy_if(timeline.live_after_tick(timeline.peak_tick()), std::back_inserter(found), [&](AllocationId id) {
        const std::uint32_t module = modules.of[id.value].module;
        return module != k_no_module && module >= held.module && module < end;
    });
    std::ranges::stable_sort(found, std::ranges::greater(),
                             [&](AllocationId id) { return timeline.trace().allocations.size_bytes[id.value]; });
    return found;
}

void add_largest_module(const DeviceAnalyses& device, const Modules& modules, std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_shown_allocations = 5;
    const Timeline& timeline = device.timeline();
    const ModuleTotals totals = module_totals(timeline, modules, timeline.peak_tick());
    const HeldByModule held = largest_module(modules, totals);
    if (held.bytes.total() == 0) return;
    const std::string path = modules.path(held.module);
    DeviceFinding finding{.topic = FindingTopic::largest_module, .code = "largest_module"};
    finding.bytes = held.bytes.total();
    if (!is_peak_behind_cut(timeline)) finding.moment = timeline.tick_events()[timeline.peak_tick()];
    finding.allocations = allocations_at_peak(timeline, modules, held);
    finding.named_allocations = std::min(finding.allocations.size(), k_shown_allocations);
    finding.sentence =
        fmt::format("{} holds more than any other module at the {}, {} ({}){}.", path.empty() ? "The model itself" : path,
                    peak_moment_word(timeline), format_bytes(finding.bytes),
                    format_share(finding.bytes, timeline.peak_bytes()), role_shares(held.bytes));
    finding.sql = amount_query(held.is_whole ? "bytes" : "own", "modules",
                               {fmt::format("device = {}", device.trace().device), fmt::format("path = '{}'", path)});
    found.push_back(std::move(finding));
}

}  // namespace

void add_module_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const auto modules = device.modules();
    if (!modules->empty()) add_largest_module(device, *modules, found);
}

}  // namespace snapviewer
