#include "app/features/answers/device_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/base/context.h"
#include "core/base/text.h"

namespace snapviewer::answers {
namespace {

struct AnsweringStep {
    const char* words;
    void (*make)(findings::DeviceAnalyses& device, DeviceAnswers& answers);
};

constexpr AnsweringStep k_answering_steps[] = {
    {"checking whether the file is complete",
     [](auto& device, auto& answers) { answers.recording = recording_facts(device.timeline()); }},
    {"reading stacks", [](auto& device, auto& answers) { answers.stack_lines = device.stack_lines(); }},
    {"laying out the address space", [](auto& device, auto&) { device.address_space(); }},
    {"looking for holes", [](auto& device, auto&) { device.holes(); }},
    {"finding out why memory ran out", [](auto& device, auto& answers) { answers.oom = device.oom(); }},
    {"adding up the card", [](auto& device, auto& answers) { answers.card_uses = device.card_uses(); }},
    {"looking into the pools", [](auto& device, auto& answers) { answers.pool_uses = device.pool_uses(); }},
    {"finding training steps", [](auto& device, auto& answers) { answers.steps = device.steps(); }},
    {"measuring growth", [](auto& device, auto& answers) { answers.growth = device.growth(); }},
    {"classifying memory", [](auto& device, auto& answers) { answers.kinds = device.kinds(); }},
    {"summing up", [](auto& device, auto& answers) { answers.findings = device.findings(); }},
};

/// Upper bound on the memory of the analyses, in bytes per event. Measured in a simulated training run: 50 for ten million
/// events, a little more than 64 for a hundred million.
constexpr std::uint64_t k_answer_bytes_an_event = 100;

}  // namespace

const oom::OomVerdict* DeviceAnswers::verdict_of(const findings::DeviceFinding& finding) const {
    if (!finding.code.starts_with("oom_") || !finding.moment) return nullptr;
    const auto found = std::ranges::lower_bound(oom->verdicts, *finding.moment, {},
                                                [](const oom::OomVerdict& verdict) { return verdict.event + 1; });
    return found != oom->verdicts.end() && found->event + 1 == *finding.moment ? &*found : nullptr;
}

std::string what_is_not_told(const findings::DeviceAnalyses& device) {
    if (device.trace().events.size() == 0)
        return "This file has no history: it shows the state when it was taken, not how it came about. Growth, training "
               "steps and the causes of out of memory need a recording.";
    if (!device.has_blocks())
        return "This file was recorded by a profiler, not by PyTorch's allocator. It lists no segments, so reserved memory, "
               "holes and the causes of out of memory are unknown.";
    return "";
}

std::string why_no_addresses(const findings::DeviceAnalyses& device) {
    if (!device.has_blocks()) return what_is_not_told(device);
    if (!device.why_no_layouts().empty())
        return "The file is cut off before the end of its events, so the memory layout at a moment is unknown.";
    return "";
}

DeviceAnswers make_answers(std::shared_ptr<const Document> document, std::size_t device_index,
                           std::uint64_t (*available)()) {
    findings::DeviceAnalyses& device = document->analyses->device(device_index);
    const std::uint64_t bytes = k_answer_bytes_an_event * device.trace().events.size();
    const std::uint64_t available_bytes = available();
    if (bytes > available_bytes)
        throw Failure{{ErrorCode::memory, fmt::format("needs about {} of memory for its findings, but only {} is available",
                                                      format_bytes(bytes), format_bytes(available_bytes))}};
    DeviceAnswers answers{.document = std::move(document), .device_index = device_index};
    std::uint64_t done = 0;
    for (const AnsweringStep& step : k_answering_steps) {
        report_done(done++, std::size(k_answering_steps));
        check_stop();
        step.make(device, answers);
    }
    return answers;
}

const char* answering_text(float fraction) {
    constexpr std::size_t k_count = std::size(k_answering_steps);
    const auto step = static_cast<std::size_t>(fraction * static_cast<float>(k_count) + 0.5F);
    return k_answering_steps[std::min(step, k_count - 1)].words;
}

}  // namespace snapviewer::answers
