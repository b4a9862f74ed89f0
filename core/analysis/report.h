#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/analysis/analyses.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {

/// One part of the report on a device. Every maker throws a Failure only when stopped.
struct ReportSection {
    const char* name;  ///< its key in the JSON
    /// null if the section is empty; the report then omits its key
    nlohmann::ordered_json (*json)(DeviceAnalyses& device);
    /// Text in whole lines; empty if the section is empty.
    std::string (*text)(DeviceAnalyses& device);
};

/// The event that reached the peak; nullopt before the first event, and for a peak behind the end of a cut-off file.
std::optional<std::int64_t> peak_event_id(const DeviceAnalyses& device);

// The sections, each with its analysis.
nlohmann::ordered_json recording_json(DeviceAnalyses& device);
std::string recording_text(DeviceAnalyses& device);
nlohmann::ordered_json findings_json(DeviceAnalyses& device);
std::string findings_text(DeviceAnalyses& device);
nlohmann::ordered_json oom_json(DeviceAnalyses& device);
std::string oom_text(DeviceAnalyses& device);
nlohmann::ordered_json device_memory_json(DeviceAnalyses& device);
std::string device_memory_text(DeviceAnalyses& device);
nlohmann::ordered_json holes_json(DeviceAnalyses& device);
std::string holes_text(DeviceAnalyses& device);
nlohmann::ordered_json steps_json(DeviceAnalyses& device);
std::string steps_text(DeviceAnalyses& device);
nlohmann::ordered_json growth_json(DeviceAnalyses& device);
std::string growth_text(DeviceAnalyses& device);
nlohmann::ordered_json kinds_json(DeviceAnalyses& device);
std::string kinds_text(DeviceAnalyses& device);
nlohmann::ordered_json pools_json(DeviceAnalyses& device);
std::string pools_text(DeviceAnalyses& device);
nlohmann::ordered_json modules_json(DeviceAnalyses& device);
std::string modules_text(DeviceAnalyses& device);
nlohmann::ordered_json annotated_json(DeviceAnalyses& device);
std::string annotated_text(DeviceAnalyses& device);

/// All sections, in reading order.
inline constexpr std::array k_report_sections = {ReportSection{"recording", recording_json, recording_text},
                                                 ReportSection{"findings", findings_json, findings_text},
                                                 ReportSection{"oom", oom_json, oom_text},
                                                 ReportSection{"device_memory", device_memory_json, device_memory_text},
                                                 ReportSection{"steps", steps_json, steps_text},
                                                 ReportSection{"growth", growth_json, growth_text},
                                                 ReportSection{"kinds", kinds_json, kinds_text},
                                                 ReportSection{"modules", modules_json, modules_text},
                                                 ReportSection{"holes", holes_json, holes_text},
                                                 ReportSection{"pools", pools_json, pools_text},
                                                 ReportSection{"annotated", annotated_json, annotated_text}};

/// Everything about one device as `snapviewer report --json` gives it. Bytes; events and allocations by SQL's ids.
nlohmann::ordered_json device_report_json(DeviceAnalyses& device);
/// The report as text.
std::string device_report_text(DeviceAnalyses& device);

/// The address space after an event of the device, or before the first event, in the form of `snapviewer layout`.
nlohmann::ordered_json layout_json(DeviceAnalyses& device, std::uint32_t moment);

/// The JSON of the section `recording` and of `info`.
nlohmann::ordered_json recording_facts_json(const RecordingFacts& facts);

}  // namespace snapviewer
