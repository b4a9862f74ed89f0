#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/base/job.h"
#include "core/document/document.h"
#include "core/system/memory.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {

/// What the analyses say of one device. Immutable.
struct DeviceAnswers {
    std::shared_ptr<const Document> document;  ///< keeps what the rest refers to
    std::size_t device_index = 0;
    std::optional<Error> error = {};  ///< why there is nothing else: it was stopped, or memory did not suffice
    RecordingFacts recording = {};
    std::shared_ptr<const std::vector<DeviceFinding>> findings = {};
    std::shared_ptr<const OomReport> oom = {};
    std::shared_ptr<const std::vector<CardUse>> card_uses = {};
    std::shared_ptr<const std::vector<PoolUse>> pool_uses = {};
    std::shared_ptr<const Steps> steps = {};
    std::shared_ptr<const Growth> growth = {};
    std::shared_ptr<const Kinds> kinds = {};
    std::shared_ptr<const StackLines> stack_lines = {};

    const DeviceAnalyses& analyses() const { return document->analyses->device(device_index); }
    /// The verdict that a finding about running out of memory puts into a sentence; null for other findings.
    const OomVerdict* verdict_of(const DeviceFinding& finding) const;
};

/// What a file does not tell of a device, and therefore no finding speaks of; mostly empty.
std::string what_is_not_told(const DeviceAnalyses& device);

/// Why nothing can be said of addresses and what lies idle between them, as a sentence; mostly empty.
std::string why_no_addresses(const DeviceAnalyses& device);

/// Makes every analysis of a device, one after another: tenths of a second for a million events. None where they would need
/// more memory than there is, of which `available` tells: the system would end the program, not refuse it.
Job<DeviceAnswers>::Work make_answers_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                          std::uint64_t (*available)() = available_memory_bytes);

/// What is being done when the progress of answering() is there.
const char* answering_text(float fraction);

}  // namespace snapviewer
