#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/growth/growth.h"
#include "core/document/document.h"
#include "core/system/memory.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::answers {

/// Results of all analyses of one device. Immutable.
struct DeviceAnswers {
    std::shared_ptr<const Document> document;  ///< keeps the document alive that the other fields refer to
    std::size_t device_index = 0;
    RecordingFacts recording = {};
    std::shared_ptr<const std::vector<findings::DeviceFinding>> findings = {};
    std::shared_ptr<const oom::OomReport> oom = {};
    std::shared_ptr<const std::vector<oom::CardUse>> card_uses = {};
    std::shared_ptr<const std::vector<space::PoolUse>> pool_uses = {};
    std::shared_ptr<const steps::Steps> steps = {};
    std::shared_ptr<const growth::Growth> growth = {};
    std::shared_ptr<const kinds::Kinds> kinds = {};
    std::shared_ptr<const StackLines> stack_lines = {};

    const findings::DeviceAnalyses& analyses() const { return document->analyses->device(device_index); }
    /// The verdict that an out-of-memory finding summarises; null for other findings.
    const oom::OomVerdict* verdict_of(const findings::DeviceFinding& finding) const;
};

/// A sentence for the user about the data that the file lacks for a device, so that some findings are impossible. Usually
/// empty.
std::string what_is_not_told(const findings::DeviceAnalyses& device);

/// The reason why the memory layout of a device is unknown, as a sentence. Usually empty.
std::string why_no_addresses(const findings::DeviceAnalyses& device);

/// Runs all analyses of a device: tenths of a second for a million events. Throws a Failure if they were stopped, or if they
/// would need more memory than `available()` reports, because the operating system would kill the program instead of
/// refusing the memory.
DeviceAnswers make_answers(std::shared_ptr<const Document> document, std::size_t device_index,
                           std::uint64_t (*available)() = available_memory_bytes);

/// Description of the analysis that runs when the progress of make_answers() is `fraction`.
const char* answering_text(float fraction);

}  // namespace snapviewer::answers
