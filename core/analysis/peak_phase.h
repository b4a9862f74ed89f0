#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/analysis/phases.h"
#include "core/analysis/steps.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

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

/// Finds the phase of the peak. `told` is the result of find_told_phases(). O(events of a step).
PeakPhase find_peak_phase(const Timeline& timeline, std::span<const Phase> told, const Steps& steps);

const char* phase_name(Phase phase);  ///< Identifier for JSON, such as "forward" or "zero_grad"; empty for Phase::none

}  // namespace snapviewer
