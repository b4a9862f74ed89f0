#include "core/analysis/report.h"

#include <nlohmann/json.hpp>

namespace snapviewer {

Result<nlohmann::ordered_json> device_report_json(DeviceAnalyses& device, const Progress* progress) {
    const Timeline& timeline = device.timeline();
    const std::uint32_t peak_moment = timeline.tick_events()[timeline.peak_tick()];
    nlohmann::ordered_json json = {{"device", device.trace().device},
                                   {"events", device.trace().events.size()},
                                   {"allocations", timeline.allocation_count()},
                                   {"peak_bytes", timeline.peak_bytes()},
                                   {"peak_event", nullptr}};
    if (const auto event = device.event_id_of_moment(peak_moment)) json["peak_event"] = *event;
    for (const ReportSection& section : k_report_sections) {
        Result<nlohmann::ordered_json> part = section.json(device, progress);
        if (!part) return part.error();
        if (!part->is_null()) json[section.name] = std::move(*part);
    }
    return json;
}

Result<std::string> device_report_text(DeviceAnalyses& device, const Progress* progress) {
    std::string text;
    for (const ReportSection& section : k_report_sections) {
        Result<std::string> part = section.text(device, progress);
        if (!part) return part.error();
        if (!part->empty() && !text.empty()) text += "\n";
        text += *part;
    }
    return text;
}

}  // namespace snapviewer
