#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/analysis/phases.h"
#include "core/analysis/steps.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Where in the work of a training program the peak is reached, as far as what was recorded beside it tells.
struct PeakPhase {
    Phase in = Phase::none;       ///< known from the event itself
    Phase after = Phase::none;    ///< otherwise the last that was told before it in the same step, and the first told after
    Phase before = Phase::none;   ///< it; neither where both are the same
    std::string step = {};        ///< the training step's name, "ProfilerStep#7"; empty without one
    std::string step_words = {};  ///< for people: "ProfilerStep#7", "training step 7"
    std::optional<std::uint64_t> steps_before_zero_grad =
        {};  ///< on the axis, where that is the next phase of the same step

    /// "in the forward pass of training step 7, 13 steps before zero_grad"; empty where nothing is known.
    std::string words() const;
};

/// `told` as find_told_phases() gives it. O(events of a step).
PeakPhase find_peak_phase(const Timeline& timeline, std::span<const Phase> told, const Steps& steps);

const char* phase_name(Phase phase);  ///< "forward", "zero_grad"; none: ""

}  // namespace snapviewer
