#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/steps/phases.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer::steps {

/// The reason why an exact repetition is not accepted as a step.
enum class NoStepReason : std::uint8_t {
    no_stacks,      ///< no stack shows the owner of the allocations
    no_backward,    ///< the recording has a backward pass, but the repeated part has none
    inside_module,  ///< all allocations are made inside modules or in the backward pass, like the layers of one pass
    uneven,         ///< no line outside a module begins all repetitions evenly
};

const char* no_step_reason_name(NoStepReason reason);  ///< Identifier for JSON, such as "inside_module"
/// Text for users, such as "but they have no stacks that show what they belong to"
const char* no_step_reason_words(NoStepReason reason);

/// Allocations that recur in the same order, with the same sizes and stacks, in a recording without steps.
struct Repetition {
    std::uint64_t allocations = 0;  ///< Number of allocations in one repetition
    std::uint64_t times = 0;
    std::uint32_t begin_event = 0;
    std::uint32_t end_event = 0;  ///< Event of the last allocation
    std::string source;           ///< Source line of the first allocation that has a stack
    NoStepReason why = NoStepReason::uneven;
    /// Events at which each pass begins, and the event at which the last pass ends, if the repeated part is a whole pass
    /// through a model. Empty otherwise.
    std::vector<std::uint32_t> pass_events;
};

/// Finds the sequence of allocations whose repetitions cover most of the recording. They must occur at least three times and
/// cover at least half of the recording. nullopt if there is no such sequence.
/// Throws a Failure only when stopped. O(64 allocations).
///
/// The sequence is a whole pass if it contains three or more equal units in a row, as a pass contains its layers, and no
/// call of forward() encloses all of it, as the forward() of a model encloses its layers. A pass begins at the allocation
/// where the least memory is live.
std::optional<Repetition> find_repetition(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases);

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

/// The functions below return the method, confidence, mark and similarity of their steps, and of each step the bounds, the
/// completeness and, if the steps are not named by their numbers, the name.

std::size_t count_complete(const Steps& steps);

/// Minimum number of complete steps. If a method finds fewer, the next method is tried.
inline constexpr std::size_t k_min_complete_steps = 2;

/// Keeps the first result that has enough complete steps, or the first result if none has enough. Call it once per method,
/// in the order of the methods.
void keep_best(std::optional<Steps>& found, std::optional<Steps> next);
inline bool has_enough_steps(const std::optional<Steps>& found) {
    return found && count_complete(*found) >= k_min_complete_steps;
}

/// The events of a device as the step methods need them, with the positions of allocs. Keeps a reference to the trace.
class StepEvents {
public:
    explicit StepEvents(const Timeline& timeline);

    const Snapshot& snapshot() const { return snapshot_; }
    const DeviceTrace& trace() const { return trace_; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(trace_.events.size()); }
    /// True if every event has a time.
    bool has_times() const { return !latest_us_.empty(); }
    /// The first event at or after a time, or count() if there is none. Precondition: has_times().
    std::uint32_t at_time(std::int64_t time_us) const;
    std::int64_t first_time_us() const { return latest_us_.front(); }
    /// Event numbers of the allocs, ascending.
    const std::vector<std::uint32_t>& allocs() const { return allocs_; }
    std::uint64_t allocs_in(std::uint32_t begin_event, std::uint32_t end_event) const;
    /// True if the trace frees allocations whose allocs it does not contain.
    bool has_unmatched_frees() const { return has_unmatched_frees_; }
    /// True if events are missing at the beginning of the trace.
    bool is_wrapped() const { return has_unmatched_frees_ || has_overflowed_; }

private:
    const Snapshot& snapshot_;
    const DeviceTrace& trace_;
    std::vector<std::uint32_t> allocs_;
    /// Latest time up to each event, indexed by event; empty unless every event has a time
    std::vector<std::int64_t> latest_us_;
    bool has_unmatched_frees_ = false;
    bool has_overflowed_ = false;
};

/// A named range of an annotation. A missing start or end mark has the time k_no_time.
struct NamedRange {
    std::string_view name;
    std::int64_t start_us = k_no_time;
    std::int64_t end_us = k_no_time;
};

/// The ranges of `device`, sorted by their first mark. If the device has no ranges, returns those of all devices.
std::vector<NamedRange> named_ranges(const Snapshot& snapshot, std::int32_t device);

/// Makes steps between consecutive marks. `marks` are ascending event numbers above 0. The first and the last stretch are
/// complete only if they contain about as many allocs as the stretches between marks. nullopt if no stretch contains an
/// alloc.
std::optional<Steps> steps_between(const StepEvents& events, const std::vector<std::uint32_t>& marks, StepMethod method,
                                   double confidence);

std::optional<Steps> steps_from_profiler(const StepEvents& events);
std::optional<Steps> steps_from_marks(const StepEvents& events);
/// The step marks in a file, from the profiler or from an optimizer.
struct StepMarks {
    std::string first;  ///< Name of the first mark; empty if there is none
    /// Number of marks with the name of the first one, or of all profiler marks if the first one is from the profiler
    std::size_t count = 0;
};
StepMarks step_marks(const Snapshot& snapshot, const DeviceTrace& trace);
std::optional<Steps> steps_from_phases(const StepEvents& events, const StackPhases& stacks, const EventPhases& phases);
/// Finds steps by an allocation that is made once per step. nullopt if there is none.
std::optional<Steps> steps_from_period(const StepEvents& events, const StackPhases& stacks);
/// Makes a step of each pass. Precondition: `repeats.pass_events` is not empty.
Steps steps_from_passes(const StepEvents& events, const Repetition& repeats);

}  // namespace snapviewer::steps
