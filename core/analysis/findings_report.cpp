// The findings, which are the first part of a report.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "core/analysis/event_steps.h"
#include "core/analysis/findings.h"
#include "core/analysis/report.h"

namespace snapviewer {
namespace {

nlohmann::ordered_json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

nlohmann::ordered_json phase_json(const PeakPhase& phase) {
    nlohmann::ordered_json json = {{"in", text_or_null(phase_name(phase.in))},
                                   {"after", text_or_null(phase_name(phase.after))},
                                   {"before", text_or_null(phase_name(phase.before))},
                                   {"training_step", text_or_null(phase.step)},
                                   {"steps_before_zero_grad", nullptr}};
    if (phase.steps_before_zero_grad) json["steps_before_zero_grad"] = *phase.steps_before_zero_grad;
    return json;
}

nlohmann::ordered_json finding_json(const DeviceAnalyses& device, const DeviceFinding& finding) {
    nlohmann::ordered_json json = {{"code", finding.code},
                                   {"severity", finding_severity_name(finding.severity)},
                                   {"sentence", finding.sentence},
                                   {"hint", text_or_null(finding.hint)},
                                   {"bytes", finding.bytes},
                                   {"event", nullptr},
                                   {"step", nullptr},
                                   {"allocations", nlohmann::ordered_json::array()},
                                   {"sql", text_or_null(finding.sql)}};
    if (finding.moment) {
        if (const auto event = device.event_id_of_moment(*finding.moment)) json["event"] = *event;
        json["step"] = step_of_moment(device.timeline(), *finding.moment);
    }
    if (finding.cached) {
        json["reserved"] = finding.cached->reserved_bytes;
        json["kept"] = finding.cached->kept_bytes;
        json["given_back"] = finding.cached->given_back_bytes;
    }
    if (finding.holders) {
        json["lines"] = nlohmann::ordered_json::array();
        for (const SourceBytes& line : finding.holders->lines)
            json["lines"].push_back({{"source", line.source}, {"bytes", line.bytes}, {"count", line.count}});
        json["no_stack"] = finding.holders->no_stack_bytes;
        json["phase"] = phase_json(finding.holders->phase);
    }
    for (const AllocationId id : std::span(finding.allocations).first(finding.named_allocations))
        json["allocations"].push_back(device.allocation_id(id));
    return json;
}

}  // namespace

nlohmann::ordered_json findings_json(DeviceAnalyses& device) {
    const auto findings = device.findings();
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const DeviceFinding& finding : *findings) json.push_back(finding_json(device, finding));
    return json;
}

std::string findings_text(DeviceAnalyses& device) {
    const auto findings = device.findings();
    std::string text;
    for (const DeviceFinding& finding : *findings) {
        text += fmt::format("{:<8} {}\n", finding_severity_name(finding.severity), finding.sentence);
        if (!finding.hint.empty()) text += fmt::format("{:<8} {}\n", "", finding.hint);
    }
    return text;
}

}  // namespace snapviewer
