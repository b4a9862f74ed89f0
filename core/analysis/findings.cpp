#include "core/analysis/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "core/analysis/analyses.h"
#include "core/base/units.h"

namespace snapviewer {

const char* finding_severity_name(FindingSeverity severity) {
    constexpr std::array k_names = {"error", "warning", "notice", "info"};
    return k_names[static_cast<std::size_t>(severity)];
}

double share_of(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<DeviceFinding> find_findings(DeviceAnalyses& device) {
    std::vector<DeviceFinding> found;
    for (const auto add : {add_oom_findings, add_growth_findings, add_reserved_findings, add_peak_findings,
                           add_training_findings, add_kind_findings, add_module_findings, add_recording_findings}) {
        add(device, found);
    }
    // Kinds and holders of the peak have the same bytes. The holders, which are source lines, come first.
    const auto is_last = [](const DeviceFinding& finding) { return finding.topic == FindingTopic::kinds; };
    std::ranges::stable_sort(found, [&](const DeviceFinding& a, const DeviceFinding& b) {
        return std::tuple(a.severity, b.bytes, is_last(a), std::string_view(a.code)) <
               std::tuple(b.severity, a.bytes, is_last(b), std::string_view(b.code));
    });
    return found;
}

}  // namespace snapviewer
