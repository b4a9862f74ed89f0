#include "core/analysis/report/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <ranges>

#include "core/analysis/findings/findings.h"
#include "core/analysis/report/device_table.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"
#include "core/trace/annotations.h"

namespace snapviewer::report {

namespace {

using Json = nlohmann::ordered_json;

/// All sections in reading order.
constexpr std::array k_sections = {&k_recording_section, &k_findings_section, &k_oom_section,      &k_device_memory_section,
                                   &k_steps_section,     &k_growth_section,   &k_kinds_section,    &k_modules_section,
                                   &k_holes_section,     &k_pools_section,    &k_annotated_section};

}  // namespace

std::optional<std::int64_t> peak_event_id(const findings::DeviceAnalyses& device) {
    const auto moment = device.peak_moment();
    return moment ? device.event_id_of_moment(*moment) : std::nullopt;
}

Json device_report_json(findings::DeviceAnalyses& device) {
    const KnownPeak peak = known_peak(device.timeline());
    Json json = {{"device", device.trace().device},
                 {"events", device.trace().events.size()},
                 {"allocations", device.timeline().allocation_count()},
                 {"peak_bytes", peak.bytes},
                 {"peak_is_lower_bound", peak.is_lower_bound},
                 {"peak_event", value_or_null(peak_event_id(device))}};
    for (const ReportSection* section : k_sections) {
        Json part = section->json(device);
        if (!part.is_null()) json[section->name] = std::move(part);
    }
    return json;
}

std::string device_report_text(findings::DeviceAnalyses& device) {
    std::string text;
    for (const ReportSection* section : k_sections) {
        const std::string part = section->text(device);
        if (!part.empty() && !text.empty()) text += "\n";
        text += part;
    }
    return text;
}

// The section about texts that the program attached to its allocations with _annotate_tensor.

namespace {

constexpr std::size_t k_notes_in_text = 5;
constexpr std::size_t k_bytes_in_text = 200;

Json annotated_json(findings::DeviceAnalyses& device) {
    const DeviceTrace& trace = device.trace();
    if (trace.notes.empty()) return Json();
    return json_array(trace.notes, [&](const AllocationNote& note) {
        check_stop();
        return Json{{"allocation", device.allocation_id(note.allocation)},
                    {"event", device.event_id(note.event.value)},
                    {"text", note_text(device.snapshot(), trace, note)}};
    });
}

std::string annotated_text(findings::DeviceAnalyses& device) {
    const DeviceTrace& trace = device.trace();
    if (trace.notes.empty()) return std::string();
    std::string text = fmt::format("annotated: {} of {}\n", format_count(trace.note_texts.size()),
                                   counted(trace.allocations.size(), "allocation"));
    for (const AllocationNote& note : trace.notes | std::views::take(k_notes_in_text)) {
        text += fmt::format("  {} at event {}: {}\n", format_bytes(trace.allocations.size_bytes[note.allocation.value]),
                            device.event_id(note.event.value),
                            one_line(shortened(note_text(device.snapshot(), trace, note), k_bytes_in_text)));
    }
    if (trace.notes.size() > k_notes_in_text)
        text += fmt::format("  and {} more in the column allocations.annotation\n", trace.notes.size() - k_notes_in_text);
    return text;
}

// The section about the completeness of the recording.

Json recording_json(findings::DeviceAnalyses& device) { return recording_facts_json(recording_facts(device.timeline())); }

std::string recording_text(findings::DeviceAnalyses& device) {
    const RecordingFacts facts = recording_facts(device.timeline());
    std::string text = fmt::format("recording: {}; {}\n", recording_state_words(facts.state), recording_sentence(facts));
    if (!facts.next_time.empty()) text += fmt::format("  next time: {}\n", facts.next_time);
    return text;
}

}  // namespace

Json recording_facts_json(const RecordingFacts& facts) {
    return {{"state", recording_state_name(facts.state)},
            {"sentence", recording_sentence(facts)},
            {"events", facts.events},
            {"seconds", value_or_null(facts.seconds)},
            {"max_entries", value_or_null(facts.ring_capacity)},
            {"cut_at", value_or_null(facts.cut_at)},
            {"peak_is_lower_bound", facts.peak_is_lower_bound},
            {"unplaced_bytes", facts.unplaced_bytes},
            {"peak_bytes_from_before", value_or_null(facts.peak_bytes_from_before)},
            {"stacks", stack_kinds_words(facts.stacks)},
            {"allocs_without_stack", facts.allocs_without_stack},
            {"allocator_settings", value_or_null(facts.allocator_settings)},
            {"next_time", facts.next_time}};
}

const ReportSection k_annotated_section = {"annotated", annotated_json, annotated_text};
const ReportSection k_recording_section = {"recording", recording_json, recording_text};

Json source_json(const stacks::SourceBytes& line) {
    return {{"source", line.source}, {"bytes", line.bytes}, {"count", line.count}};
}

// The report section with the findings.

namespace {

Json phase_json(const steps::PeakPhase& phase) {
    return {{"in", value_or_null(null_if_empty(steps::phase_name(phase.in)))},
            {"after", value_or_null(null_if_empty(steps::phase_name(phase.after)))},
            {"before", value_or_null(null_if_empty(steps::phase_name(phase.before)))},
            {"training_step", value_or_null(null_if_empty(phase.step))},
            {"steps_before_zero_grad", value_or_null(phase.steps_before_zero_grad)}};
}

/// The ids of the allocations that a report lists.
std::vector<std::int64_t> allocation_ids(const findings::DeviceFinding& finding, const findings::DeviceAnalyses& device) {
    std::vector<std::int64_t> ids;
    for (const AllocationId id : finding.allocations | std::views::take(finding.named_allocations))
        ids.push_back(device.allocation_id(id));
    return ids;
}

struct FindingRow {
    const findings::DeviceFinding* finding;
    std::size_t id;

    const findings::DeviceFinding& operator*() const { return *finding; }
};

const DeviceFields<FindingRow> k_finding_fields = {
    {"id", FieldUnit::id, "counts across all devices, from 0", &FindingRow::id, k_only_in_tables},
    device_field<FindingRow>(),
    {"severity", FieldUnit::text, "'error', 'warning', 'notice' or 'info'",
     [](const findings::DeviceFinding& finding) { return findings::finding_severity_name(finding.severity); }},
    {"code", FieldUnit::text, "'oom_capacity', 'leak', ...", &findings::DeviceFinding::code},
    {"sentence", FieldUnit::text, "in words", &findings::DeviceFinding::sentence},
    {"hint", FieldUnit::text, "what to do about it; NULL if there is nothing to advise",
     [](const findings::DeviceFinding& finding) { return null_if_empty(finding.hint); }},
    {"bytes", FieldUnit::bytes, "how much memory it is about", &findings::DeviceFinding::bytes},
    {"event_id", FieldUnit::event,
     "events.id of the event after which to look; NULL for the whole recording or its beginning",
     [](const findings::DeviceFinding& finding, const findings::DeviceAnalyses& device) {
         return finding.moment ? device.event_id_of_moment(*finding.moment) : std::nullopt;
     },
     named_in_json("event")},
    {"step", FieldUnit::step, "where that is in the picture; NULL for the whole recording",
     [](const findings::DeviceFinding& finding, const findings::DeviceAnalyses& device) {
         const auto& moment = finding.moment;
         return moment ? std::optional(step_of_moment(device.timeline(), *moment)) : std::nullopt;
     }},
    {"allocations", FieldUnit::text, "some of the allocations it is about, as a JSON list of allocations.id",
     [](const findings::DeviceFinding& finding, const findings::DeviceAnalyses& device) {
         return fmt::format("[{}]", fmt::join(allocation_ids(finding, device), ","));
     },
     k_only_in_tables},
    {"sql", FieldUnit::text,
     "a query for the table behind the sentence, whose column `bytes` adds up to the bytes of the finding; NULL if there is "
     "none",
     [](const findings::DeviceFinding& finding) { return null_if_empty(finding.sql); }}};

Json finding_json(findings::DeviceAnalyses& device, const findings::DeviceFinding& finding) {
    Json json = k_finding_fields.json({&finding, 0}, device);
    json["allocations"] = allocation_ids(finding, device);
    if (finding.code == "cached_idle") {
        const space::HolesRow& then = device.holes()->at(*finding.moment);
        json["reserved"] = then.reserved;
        json["kept"] = then.idle_pinned;
        json["given_back"] = then.idle - then.idle_pinned;
    }
    if (finding.holders) {
        json["lines"] = json_array(finding.holders->lines, source_json);
        json["no_stack"] = finding.holders->no_stack_bytes;
        json["phase"] = phase_json(finding.holders->phase);
    }
    return json;
}

Json findings_json(findings::DeviceAnalyses& device) {
    return json_array(*device.findings(),
                      [&](const findings::DeviceFinding& finding) { return finding_json(device, finding); });
}

std::string findings_text(findings::DeviceAnalyses& device) {
    std::string text;
    for (const findings::DeviceFinding& finding : *device.findings()) {
        text += fmt::format("{:<8} {}\n", findings::finding_severity_name(finding.severity), finding.sentence);
        if (!finding.hint.empty()) text += fmt::format("{:<8} {}\n", "", finding.hint);
    }
    return text;
}

}  // namespace

const ReportSection k_findings_section = {"findings", findings_json, findings_text};

TableFunction findings_table(const AnalysesPointer& analyses) {
    return device_table("findings",
                        "What is worth looking at first, sorted by severity and bytes within a device; docs/analyses.md "
                        "explains each finding.",
                        k_finding_fields, analyses, [](findings::DeviceAnalyses& device, auto& rows) {
                            for (const findings::DeviceFinding& finding : *device.findings())
                                rows.add(device, {&finding, rows.count()});
                        });
}

}  // namespace snapviewer::report
