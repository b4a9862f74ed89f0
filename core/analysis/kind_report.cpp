// The report section about the kinds of allocations.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/report.h"
#include "core/analysis/rounded.h"
#include "core/base/units.h"

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

}  // namespace snapviewer
