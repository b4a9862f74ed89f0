// The report section about the completeness of the recording.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/analysis/report.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {

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

}  // namespace snapviewer
