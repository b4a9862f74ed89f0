#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/phases.h"
#include "core/analysis/repetition.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// One training step: the events [begin, end) of a device.
struct TrainingStep {
    std::string name;  ///< "ProfilerStep#7", "step 0"
    std::uint32_t begin_event = 0;
    std::uint32_t end_event = 0;   ///< the number of events where the step reaches to the end
    bool is_complete = true;       ///< false: it began before the recording or went on after it
    std::uint64_t begin_step = 0;  ///< on the axis
    std::uint64_t end_step = 0;
    std::uint64_t allocs = 0;
    std::uint64_t live_begin_bytes = 0;
    std::uint64_t live_end_bytes = 0;
    std::uint64_t peak_bytes = 0;
    std::uint32_t peak_event = 0;  ///< the first after which the peak was reached
};

/// How the steps were found, the surest first.
enum class StepMethod : std::uint8_t { none, profiler, marks, optimizer_stacks, forward_and_backward, period };

const char* step_method_name(StepMethod method);  ///< "profiler", "optimizer stacks"

/// The steps of a device, or why there are none.
struct Steps {
    StepMethod method = StepMethod::none;
    bool training = false;            ///< a backward pass runs in them; otherwise they are repetitions of something else
    double confidence = 0;            ///< 0 to 1, two decimals
    std::vector<TrainingStep> steps;  ///< by begin; empty unless two are complete
    std::size_t complete = 0;
    std::string reason;                 ///< why there are none, as a sentence without full stop; else empty
    std::optional<Repetition> repeats;  ///< what repeats exactly, although it is no step
    std::string mark;                   ///< the name of the marks that were followed; else empty
    std::optional<double> similarity;   ///< how alike the steps are if they were found from a period: 0 to 1, three decimals
};

/// The first method that finds two complete steps decides. Throws a Failure only when stopped. Immutable result. O(events)
/// and, without marks and phases, O(allocations) a candidate for the period, of which there are at most 200.
Steps find_steps(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases);

/// What a step is called in words: "training step", or "repetition" where no backward pass was seen.
const char* step_word(bool training);

/// The longest run of complete steps, one after another, as a part of `steps`.
std::span<const TrainingStep> longest_complete_run(const Steps& steps);

}  // namespace snapviewer
