#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/compare/compare.h"
#include "core/analysis/findings/analyses.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::report {

/// One section of the report on a device. Both functions throw a Failure only when stopped.
struct ReportSection {
    const char* name;  ///< Key of the section in the JSON report
    /// Returns the section as JSON; null if the section is empty, so that the report omits its key
    nlohmann::ordered_json (*json)(findings::DeviceAnalyses& device);
    /// Returns the section as whole lines of text; empty if the section is empty.
    std::string (*text)(findings::DeviceAnalyses& device);
};

// The sections, each defined in the file of its topic.
extern const ReportSection k_recording_section, k_findings_section, k_oom_section, k_device_memory_section, k_steps_section,
    k_growth_section, k_kinds_section, k_modules_section, k_holes_section, k_pools_section, k_annotated_section;

/// The SQL id of the event that reaches the peak. nullopt before the first event, and for a peak after the end of a cut-off
/// file.
std::optional<std::int64_t> peak_event_id(const findings::DeviceAnalyses& device);

/// The report about one device, as `snapviewer report --json` prints it. Amounts are in bytes; events and allocations have
/// their SQL ids.
nlohmann::ordered_json device_report_json(findings::DeviceAnalyses& device);
/// The report about one device as text.
std::string device_report_text(findings::DeviceAnalyses& device);

/// The text of the report section `device_memory`, which `snapviewer info` also prints.
std::string device_memory_text(findings::DeviceAnalyses& device);

/// The address space after an event of the device, or before the first event, as `snapviewer layout` prints it.
nlohmann::ordered_json layout_json(findings::DeviceAnalyses& device, std::uint32_t moment);

/// The JSON of the report section `recording`, which `snapviewer info` also prints.
nlohmann::ordered_json recording_facts_json(const RecordingFacts& facts);

/// Returns the comparison of the peaks of two devices in the format of `snapviewer compare --json`. Throws a Failure only
/// when stopped.
nlohmann::ordered_json compare_json(findings::DeviceAnalyses& a, findings::DeviceAnalyses& b, compare::CompareBy by,
                                    compare::CompareBasis basis);
/// Returns the comparison as readable text in whole lines. Throws a Failure only when stopped.
std::string compare_text(findings::DeviceAnalyses& a, findings::DeviceAnalyses& b, compare::CompareBy by,
                         compare::CompareBasis basis);

/// Returns the reasons why two recordings cannot be compared exactly, one sentence each: facts that cause differences of
/// their own, and facts that are unknown. Usually empty. O(allocations).
std::vector<std::string> comparison_limits(const findings::DeviceAnalyses& a, const findings::DeviceAnalyses& b,
                                           const compare::Comparison& comparison);

}  // namespace snapviewer::report
