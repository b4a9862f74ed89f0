// The report section about memory pools, with the bytes and the maker of each pool.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/report.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

nlohmann::ordered_json holding_json(const PoolHolding& holding) {
    return {{"reserved", holding.reserved}, {"used", holding.used}, {"idle", holding.idle()}};
}

nlohmann::ordered_json pool_json(const DeviceAnalyses& device, const PoolUse& use) {
    nlohmann::ordered_json json = {
        {"pool", use.pool},      {"private", use.is_private}, {"at_peak", nullptr}, {"at_end", holding_json(use.at_end)},
        {"made_event", nullptr}, {"made_stack_id", nullptr},  {"made_by", nullptr}, {"captured_by", nullptr}};
    if (use.at_peak) json["at_peak"] = holding_json(*use.at_peak);
    if (use.made_event) json["made_event"] = device.event_id(*use.made_event);
    if (use.made_stack.is_some()) json["made_stack_id"] = use.made_stack.value;
    if (!use.made_by.empty()) json["made_by"] = use.made_by;
    if (!use.captured_by.empty()) json["captured_by"] = use.captured_by;
    return json;
}

bool has_private(const std::vector<PoolUse>& uses) { return std::ranges::any_of(uses, &PoolUse::is_private); }

}  // namespace

nlohmann::ordered_json pools_json(DeviceAnalyses& device) {
    const auto uses = device.pool_uses();
    nlohmann::ordered_json json;
    if (!has_private(*uses)) return json;
    for (const PoolUse& use : *uses) json.push_back(pool_json(device, use));
    return json;
}

std::string pools_text(DeviceAnalyses& device) {
    const auto uses = device.pool_uses();
    if (!has_private(*uses)) return std::string();
    std::string text = fmt::format("{:<16} {:>12} {:>12} {:>12} {:>12}\n", "memory pool", "at the peak", "of it idle",
                                   "at the end", "of it idle");
    const bool peak_is_unknown = known_peak(device.timeline()).is_at_end;
    for (const PoolUse& use : *uses) {
        const auto peak = [&](std::uint64_t bytes) {
            return use.at_peak && !peak_is_unknown ? format_bytes(bytes) : std::string("unknown");
        };
        const PoolHolding at_peak = use.at_peak.value_or(PoolHolding());
        text += fmt::format("{:<16} {:>12} {:>12} {:>12} {:>12}\n", use.is_private ? use.pool : "default",
                            peak(at_peak.reserved), peak(at_peak.idle()), format_bytes(use.at_end.reserved),
                            format_bytes(use.at_end.idle()));
        if (!use.made_by.empty()) text += fmt::format("  made by {}", use.made_by);
        if (!use.captured_by.empty() && use.captured_by != use.made_by)
            text += fmt::format(", captured by {}", use.captured_by);
        if (!use.made_by.empty()) text += "\n";
    }
    return text;
}

}  // namespace snapviewer
