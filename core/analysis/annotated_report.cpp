// The part of the report about texts that the program attached to its allocations with _annotate_tensor.
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/analysis/report.h"
#include "core/base/answer_limits.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/trace/allocation_metadata.h"

namespace snapviewer {
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

}  // namespace snapviewer
