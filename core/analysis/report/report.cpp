#include "core/analysis/report/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

#include "core/analysis/findings/findings.h"
#include "core/analysis/report/device_table.h"
#include "core/base/budget.h"
#include "core/base/context.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/totals.h"
#include "core/trace/annotations.h"

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

// The part of the report about texts that the program attached to its allocations with _annotate_tensor.

namespace {

constexpr std::size_t k_notes_in_text = 5;
constexpr std::size_t k_bytes_in_text = 200;

}  // namespace

nlohmann::ordered_json annotated_json(DeviceAnalyses& device) {
    const DeviceTrace& trace = device.trace();
    if (trace.notes.empty()) return nlohmann::ordered_json();
    auto annotated = nlohmann::ordered_json::array();
    for (const AllocationNote& note : trace.notes) {
        const std::string_view text = note_text(device.snapshot(), trace, note);
        check_stop();
        annotated.push_back({{"allocation", device.allocation_id(note.allocation)},
                             {"event", device.event_id(note.event.value)},
                             {"text", text}});
    }
    return annotated;
}

std::string annotated_text(DeviceAnalyses& device) {
    const DeviceTrace& trace = device.trace();
    if (trace.notes.empty()) return std::string();
    std::string text = fmt::format("annotated: {} of {}\n", format_count(trace.note_texts.size()),
                                   counted(trace.allocations.size(), "allocation"));
    for (std::size_t i = 0; i < std::min(k_notes_in_text, trace.notes.size()); ++i) {
        const AllocationNote& note = trace.notes[i];
        text += fmt::format("  {} at event {}: {}\n", format_bytes(trace.allocations.size_bytes[note.allocation.value]),
                            device.event_id(note.event.value),
                            one_line(shortened(note_text(device.snapshot(), trace, note), k_bytes_in_text)));
    }
    if (trace.notes.size() > k_notes_in_text)
        text += fmt::format("  and {} more in the column allocations.annotation\n", trace.notes.size() - k_notes_in_text);
    return text;
}

// The report section about the completeness of the recording.

nlohmann::ordered_json recording_facts_json(const RecordingFacts& facts) {
    const auto or_null = [](const auto& value) { return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(); };
    return {{"state", recording_state_name(facts.state)},
            {"sentence", recording_sentence(facts)},
            {"events", facts.events},
            {"seconds", or_null(facts.seconds)},
            {"max_entries", or_null(facts.room)},
            {"cut_at", or_null(facts.cut_at)},
            {"peak_is_lower_bound", facts.peak_is_lower_bound},
            {"unplaced_bytes", facts.unplaced_bytes},
            {"peak_bytes_from_before", or_null(facts.peak_bytes_from_before)},
            {"stacks", stack_kinds_words(facts.stacks)},
            {"allocs_without_stack", facts.allocs_without_stack},
            {"allocator_settings", or_null(facts.allocator_settings)},
            {"next_time", facts.next_time}};
}

nlohmann::ordered_json recording_json(DeviceAnalyses& device) {
    return recording_facts_json(recording_facts(device.timeline()));
}

std::string recording_text(DeviceAnalyses& device) {
    const RecordingFacts facts = recording_facts(device.timeline());
    std::string text = fmt::format("recording: {}; {}\n", recording_state_words(facts.state), recording_sentence(facts));
    if (!facts.next_time.empty()) text += fmt::format("  next time: {}\n", facts.next_time);
    return text;
}

// The findings, which are the first part of a report.

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

/// The ids of the allocations that a report lists.
std::vector<std::int64_t> allocation_ids(const DeviceFinding& finding, const DeviceAnalyses& device) {
    std::vector<std::int64_t> ids;
    for (const AllocationId id : std::span(finding.allocations).first(finding.named_allocations))
        ids.push_back(device.allocation_id(id));
    return ids;
}

struct FindingRow {
    const DeviceFinding* finding;
    std::size_t id;

    const DeviceFinding& operator*() const { return *finding; }
};

const DeviceFields<FindingRow> k_finding_fields = {
    {"id", FieldUnit::id, "counts across all devices, from 0", &FindingRow::id, k_only_in_tables},
    device_field<FindingRow>(),
    {"severity", FieldUnit::text, "'error', 'warning', 'notice' or 'info'",
     [](const DeviceFinding& finding) { return finding_severity_name(finding.severity); }},
    {"code", FieldUnit::text, "'oom_capacity', 'leak', ...", &DeviceFinding::code},
    {"sentence", FieldUnit::text, "in words", &DeviceFinding::sentence},
    {"hint", FieldUnit::text, "what to do about it; NULL if there is nothing to advise",
     [](const DeviceFinding& finding) { return unless_empty(finding.hint); }},
    {"bytes", FieldUnit::bytes, "how much memory it is about", &DeviceFinding::bytes},
    {"event_id", FieldUnit::event,
     "events.id of the event after which to look; NULL for the whole recording or its beginning",
     [](const DeviceFinding& finding, const DeviceAnalyses& device) {
         return finding.moment ? device.event_id_of_moment(*finding.moment) : std::nullopt;
     },
     named_in_json("event")},
    {"step", FieldUnit::step, "where that is in the picture; NULL for the whole recording",
     [](const DeviceFinding& finding, const DeviceAnalyses& device) {
         const auto& moment = finding.moment;
         return moment ? std::optional(step_of_moment(device.timeline(), *moment)) : std::nullopt;
     }},
    {"allocations", FieldUnit::text, "some of the allocations it is about, as a JSON list of allocations.id",
     [](const DeviceFinding& finding, const DeviceAnalyses& device) {
         return fmt::format("[{}]", fmt::join(allocation_ids(finding, device), ","));
     },
     k_only_in_tables},
    {"sql", FieldUnit::text,
     "a query for the table behind the sentence, whose column `bytes` adds up to the bytes of the finding; NULL if there is "
     "none",
     [](const DeviceFinding& finding) { return unless_empty(finding.sql); }}};

nlohmann::ordered_json finding_json(DeviceAnalyses& device, const DeviceFinding& finding) {
    nlohmann::ordered_json json = k_finding_fields.json({&finding, 0}, device);
    json["allocations"] = allocation_ids(finding, device);
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

TableFunction findings_table(const AnalysesPointer& analyses) {
    return device_table("findings",
                        "What is worth looking at first, sorted by severity and bytes within a device; docs/analyses.md "
                        "explains each finding.",
                        k_finding_fields, analyses, [](DeviceAnalyses& device, auto& rows) {
                            const auto found = device.findings();
                            for (const DeviceFinding& finding : *found) rows.add(device, {&finding, rows.count()});
                        });
}

}  // namespace snapviewer
