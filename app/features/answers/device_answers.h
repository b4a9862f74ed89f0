#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/growth/growth.h"
#include "core/base/job.h"
#include "core/document/document.h"
#include "core/system/memory.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {

/// Results of all analyses of one device. Immutable.
struct DeviceAnswers {
    std::shared_ptr<const Document> document;  ///< keeps the document alive that the other fields refer to
    std::size_t device_index = 0;
    /// Set if the analyses were stopped or ran out of memory; the fields below are then empty.
    std::optional<Error> error = {};
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

/// The background work that runs all analyses of a device: tenths of a second for a million events. If they would need more
/// memory than `available()` reports, the result contains only an error, because the operating system would kill the program
/// instead of refusing the memory.
Job<DeviceAnswers>::Work make_answers_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                          std::uint64_t (*available)() = available_memory_bytes);

/// Description of the analysis that runs when the progress of make_answers_job() is `fraction`.
const char* answering_text(float fraction);

// Texts about memory growth for the window.

/// The growing stack at `index` in the displayed order: possible leaks first, then all other rows. Precondition: `index` is
/// less than the number of rows.
const growth::GrowthRow& growth_row(const growth::Growth& growth, std::size_t index);
/// Name of a growth state for the user, such as "a leak".
const char* growth_state_words(growth::GrowthState state);
/// A sentence with the number of analysed steps and the change of the total, or the reason why growth is unknown.
std::string growth_sentence(const growth::Growth& growth);
/// Text of a growth row's tooltip, with several lines. `training` is true if the steps are training steps.
std::string growth_row_facts(const growth::GrowthRow& row, bool training);

}  // namespace snapviewer
