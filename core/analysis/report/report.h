#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <optional>
#include <string>

#include "core/analysis/findings/analyses.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {

/// One section of the report on a device. Both functions throw a Failure only when stopped.
struct ReportSection {
    const char* name;  ///< Key of the section in the JSON report
    /// Returns the section as JSON; null if the section is empty, so that the report omits its key
    nlohmann::ordered_json (*json)(DeviceAnalyses& device);
    /// Returns the section as whole lines of text; empty if the section is empty.
    std::string (*text)(DeviceAnalyses& device);
};

/// The SQL id of the event that reaches the peak. nullopt before the first event, and for a peak after the end of a cut-off
/// file.
std::optional<std::int64_t> peak_event_id(const DeviceAnalyses& device);

// JSON and text of each section.
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

/// All sections in reading order.
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

/// The report about one device, as `snapviewer report --json` prints it. Amounts are in bytes; events and allocations have
/// their SQL ids.
nlohmann::ordered_json device_report_json(DeviceAnalyses& device);
/// The report about one device as text.
std::string device_report_text(DeviceAnalyses& device);

/// The address space after an event of the device, or before the first event, as `snapviewer layout` prints it.
nlohmann::ordered_json layout_json(DeviceAnalyses& device, std::uint32_t moment);

/// The JSON of the report section `recording`, which `snapviewer info` also prints.
nlohmann::ordered_json recording_facts_json(const RecordingFacts& facts);

}  // namespace snapviewer
