#include "core/analysis/report.h"

#include <nlohmann/json.hpp>

namespace snapviewer {

std::optional<std::int64_t> peak_event_id(const DeviceAnalyses& device) {
    const Timeline& timeline = device.timeline();
    if (is_peak_behind_cut(timeline)) return std::nullopt;
    return device.event_id_of_moment(timeline.tick_events()[timeline.peak_tick()]);
}

nlohmann::ordered_json device_report_json(DeviceAnalyses& device) {
    const Timeline& timeline = device.timeline();
    const KnownPeak peak = known_peak(timeline);
    nlohmann::ordered_json json = {{"device", device.trace().device},
                                   {"events", device.trace().events.size()},
                                   {"allocations", timeline.allocation_count()},
                                   {"peak_bytes", peak.bytes},
                                   {"peak_is_lower_bound", peak.is_lower_bound},
                                   {"peak_event", nullptr}};
    if (const auto event = peak_event_id(device)) json["peak_event"] = *event;
    for (const ReportSection& section : k_report_sections) {
        nlohmann::ordered_json part = section.json(device);
        if (!part.is_null()) json[section.name] = std::move(part);
    }
    return json;
}

std::string device_report_text(DeviceAnalyses& device) {
    std::string text;
    for (const ReportSection& section : k_report_sections) {
        std::string part = section.text(device);
        if (!part.empty() && !text.empty()) text += "\n";
        text += part;
    }
    return text;
}

}  // namespace snapviewer
