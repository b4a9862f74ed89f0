#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/repetition.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A training step, which is the range of events [begin_event, end_event) of a device.
struct TrainingStep {
    std::uint32_t begin_event = 0;
    /// Event after the last one of the step; the number of events if the step reaches the end of the trace
    std::uint32_t end_event = 0;
    bool is_complete = true;       ///< False if the step began before the recording or continued after it
    std::string name = {};         ///< Name such as "ProfilerStep#7" or "step 0"
    std::uint64_t begin_step = 0;  ///< Position of begin_event on the step axis of the timeline
    std::uint64_t end_step = 0;
    std::uint64_t allocs = 0;
    std::uint64_t live_begin_bytes = 0;
    std::uint64_t live_end_bytes = 0;
    std::uint64_t peak_bytes = 0;
    std::uint32_t peak_event = 0;  ///< First event after which the peak was reached
};

/// The method that found the steps, in order of decreasing reliability.
enum class StepMethod : std::uint8_t { none, profiler, marks, optimizer_stacks, forward_and_backward, period };

const char* step_method_name(StepMethod method);  ///< Text for users and JSON, such as "profiler" or "optimizer stacks"

/// The steps of a device, or the reason why it has none.
struct Steps {
    StepMethod method = StepMethod::none;
    bool training = false;  ///< True if a backward pass runs in the steps; otherwise they are repetitions of other work
    double confidence = 0;  ///< Confidence from 0 to 1, rounded to two decimals
    std::vector<TrainingStep> steps = {};  ///< Steps sorted by begin; empty unless at least two are complete
    std::size_t complete = 0;
    std::string reason = {};  ///< Reason why there are no steps, as a sentence without full stop; empty if there are steps
    std::optional<Repetition> repeats = {};  ///< An exact repetition that was not accepted as a step
    std::string mark = {};                   ///< Name of the marks that bound the steps; empty for other methods
    /// Similarity of the steps from 0 to 1, rounded to three decimals; set only for steps found by a period
    std::optional<double> similarity = {};
};

/// Finds the training steps with the first method that yields two complete steps. Throws a Failure only when stopped.
/// O(events). Without marks and phases it tries up to 200 candidates for the period, each O(allocations).
Steps find_steps(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases);

/// Name of a step for users: "training step", or "repetition" if no backward pass was seen.
const char* step_word(bool training);

/// The longest run of consecutive complete steps, as a part of `steps.steps`.
std::span<const TrainingStep> longest_complete_run(const Steps& steps);

/// The phase of a training program in which the peak is reached, as far as stacks and annotations show it.
struct PeakPhase {
    Phase in = Phase::none;  ///< Phase of the peak event itself, or none if it is unknown
    /// Last known phase before the peak in the same step. Set only if `in` is none and the two neighbouring phases differ.
    Phase after = Phase::none;
    /// First known phase after the peak in the same step. Set only if `in` is none and the two neighbouring phases differ.
    Phase before = Phase::none;
    std::string step = {};  ///< Name of the training step, such as "ProfilerStep#7"; empty if the peak is outside all steps
    std::string step_words = {};  ///< Name of the training step for users, such as "ProfilerStep#7" or "training step 7"
    /// Steps on the timeline's step axis from the peak to zero_grad, if zero_grad is the next phase in the same training
    /// step
    std::optional<std::uint64_t> steps_before_zero_grad = {};

    /// Text such as "in the forward pass of training step 7, 13 steps before zero_grad". Empty if nothing is known.
    std::string words() const;
};

/// Finds the phase of the peak. `phases` is the result of find_phases_by_event(). O(events of a step).
PeakPhase find_peak_phase(const Timeline& timeline, std::span<const Phase> phases, const Steps& steps);

const char* phase_name(Phase phase);  ///< Identifier for JSON, such as "forward" or "zero_grad"; empty for Phase::none

}  // namespace snapviewer
