#include "core/analysis/report.h"

#include <array>
#include <nlohmann/json.hpp>

namespace snapviewer {

std::span<const ReportSection> report_sections() {
    static constexpr std::array k_sections = {
        ReportSection{"recording", recording_json, recording_text},
        ReportSection{"findings", findings_json, findings_text},
        ReportSection{"oom", oom_json, oom_text},
        ReportSection{"steps", steps_json, steps_text},
        ReportSection{"growth", growth_json, growth_text},
        ReportSection{"kinds", kinds_json, kinds_text},
        ReportSection{"holes", holes_json, holes_text},
        ReportSection{"annotated", annotated_json, annotated_text},
    };
    return k_sections;
}

Result<nlohmann::ordered_json> device_report_json(DeviceAnalyses& device, const Progress* progress) {
    const Timeline& timeline = device.timeline();
    const std::uint32_t peak_moment = timeline.tick_events()[timeline.peak_tick()];
    nlohmann::ordered_json json = {{"device", device.trace().device},
                                   {"events", device.trace().events.size()},
                                   {"allocations", timeline.allocation_count()},
                                   {"peak_bytes", timeline.peak_bytes()},
                                   {"peak_event", nullptr}};
    if (const auto event = device.event_id_of_moment(peak_moment)) json["peak_event"] = *event;
    for (const ReportSection& section : report_sections()) {
        Result<nlohmann::ordered_json> part = section.json(device, progress);
        if (!part) return part.error();
        if (!part->is_null()) json[section.name] = std::move(*part);
    }
    return json;
}

Result<std::string> device_report_text(DeviceAnalyses& device, const Progress* progress) {
    std::string text;
    for (const ReportSection& section : report_sections()) {
        Result<std::string> part = section.text(device, progress);
        if (!part) return part.error();
        if (!part->empty() && !text.empty()) text += "\n";
        text += *part;
    }
    return text;
}

}  // namespace snapviewer
