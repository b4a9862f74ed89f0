#include "app/features/answers/device_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "app/ui/sandboxed.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

/// One analysis is kept in the answers; the others only have to be there for those that follow.
template <typename T>
Status keep(Result<std::shared_ptr<const T>> made, std::shared_ptr<const T>& kept) {
    if (!made) return made.error();
    kept = std::move(*made);
    return {};
}

struct AnsweringStep {
    const char* words;
    Status (*make)(DeviceAnalyses& device, DeviceAnswers& answers, const Progress* progress);
};

constexpr AnsweringStep k_answering_steps[] = {
    {"checking whether the file is complete",
     [](DeviceAnalyses& device, DeviceAnswers& answers, const Progress*) {
         answers.recording = recording_facts(device.timeline());
         return Status();
     }},
    {"reading stacks", [](DeviceAnalyses& device, DeviceAnswers& answers,
                          const Progress* progress) { return keep(device.stack_lines(progress), answers.stack_lines); }},
    {"laying out the address space",
     [](DeviceAnalyses& device, DeviceAnswers&, const Progress* progress) {
         std::shared_ptr<const AddressSpace> space;
         return keep(device.address_space(progress), space);
     }},
    {"looking for holes",
     [](DeviceAnalyses& device, DeviceAnswers&, const Progress* progress) {
         std::shared_ptr<const HolesHistory> holes;
         return keep(device.holes(progress), holes);
     }},
    {"finding out why memory ran out", [](DeviceAnalyses& device, DeviceAnswers& answers,
                                          const Progress* progress) { return keep(device.oom(progress), answers.oom); }},
    {"adding up the card", [](DeviceAnalyses& device, DeviceAnswers& answers,
                              const Progress* progress) { return keep(device.card_uses(progress), answers.card_uses); }},
    {"looking into the pools", [](DeviceAnalyses& device, DeviceAnswers& answers,
                                  const Progress* progress) { return keep(device.pool_uses(progress), answers.pool_uses); }},
    {"finding training steps", [](DeviceAnalyses& device, DeviceAnswers& answers,
                                  const Progress* progress) { return keep(device.steps(progress), answers.steps); }},
    {"measuring growth", [](DeviceAnalyses& device, DeviceAnswers& answers,
                            const Progress* progress) { return keep(device.growth(progress), answers.growth); }},
    {"classifying memory", [](DeviceAnalyses& device, DeviceAnswers& answers,
                              const Progress* progress) { return keep(device.kinds(progress), answers.kinds); }},
    {"summing up", [](DeviceAnalyses& device, DeviceAnswers& answers,
                      const Progress* progress) { return keep(device.findings(progress), answers.findings); }},
};

/// What the analyses take for each event, with something to spare: 50 bytes of ten million in a simulated training run, more
/// than 64 of a hundred million.
constexpr std::uint64_t k_answer_bytes_an_event = 100;

Status foresee(const DeviceTrace& trace, std::uint64_t available_bytes) {
    const std::uint64_t bytes = k_answer_bytes_an_event * trace.events.size();
    if (bytes <= available_bytes) return {};
    return Error{ErrorCode::memory, fmt::format("needs about {} of memory for its findings, but only {} is available",
                                                format_bytes(bytes), format_bytes(available_bytes))};
}

Status make_all(DeviceAnswers& answers, Progress& progress) {
    DeviceAnalyses& device = answers.document->analyses->device(answers.device_index);
    std::uint64_t done = 0;
    for (const AnsweringStep& step : k_answering_steps) {
        progress.update(done++, std::size(k_answering_steps));
        if (progress.stop_requested()) return stopped();
        if (Status made = step.make(device, answers, &progress); !made) return made;
    }
    return {};
}

}  // namespace

const OomVerdict* DeviceAnswers::verdict_of(const DeviceFinding& finding) const {
    if (finding.topic != FindingTopic::oom || !finding.moment || oom == nullptr) return nullptr;
    const auto found = std::ranges::lower_bound(oom->verdicts, *finding.moment, {},
                                                [](const OomVerdict& verdict) { return verdict.event + 1; });
    return found != oom->verdicts.end() && found->event + 1 == *finding.moment ? &*found : nullptr;
}

std::string what_is_not_told(const DeviceAnalyses& device) {
    if (device.trace().events.size() == 0)
        return "This file has no history: it shows the state when it was taken, not how it came about. Growth, training "
               "steps "
               "and the causes of out of memory need a recording.";
    if (!device.tells_of_blocks())
        return "This file was recorded by a profiler, not by PyTorch's allocator. It lists no segments, so reserved memory, "
               "holes and the causes of out of memory are unknown.";
    return "";
}

std::string why_no_addresses(const DeviceAnalyses& device) {
    if (!device.tells_of_blocks()) return what_is_not_told(device);
    if (!device.why_no_layouts().empty())
        return "The file is cut off before the end of its events, so the memory layout at a moment is unknown.";
    return "";
}

Job<DeviceAnswers>::Work make_answers_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                          std::uint64_t (*available)()) {
    return [document = std::move(document), device_index, available](Progress& progress) {
        DeviceAnswers answers{.document = document, .device_index = device_index};
        if (const Status fits = foresee(answers.analyses().trace(), available()); !fits) {
            answers.error = fits.error();
            return answers;
        }
        enter_sandbox_here({});
        try {
            if (const Status made = make_all(answers, progress); !made) answers.error = made.error();
        } catch (const std::bad_alloc&) {
            answers.error = Error{ErrorCode::memory, "needs more memory than is available", {}, {}};
        }
        return answers;
    };
}

const char* answering_text(float fraction) {
    constexpr std::size_t k_count = std::size(k_answering_steps);
    const auto step = static_cast<std::size_t>(fraction * static_cast<float>(k_count) + 0.5F);
    return k_answering_steps[std::min(step, k_count - 1)].words;
}

}  // namespace snapviewer
