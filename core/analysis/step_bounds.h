#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/steps.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The steps that one method found, as bounds only.
struct StepBounds {
    struct Bounds {
        std::uint32_t begin_event = 0;
        std::uint32_t end_event = 0;
        bool is_complete = true;
        std::string name = {};  ///< empty if the step is named by its number
    };
    StepMethod method = StepMethod::none;
    double confidence = 0;
    std::vector<Bounds> bounds;
    std::string mark = {};
    std::optional<double> similarity = {};

    std::size_t complete() const;
};

/// If a method finds fewer complete steps than this, the next method is tried.
inline constexpr std::size_t k_least_complete_steps = 2;

/// Keeps the first result with enough complete steps, otherwise the first result. Call once per method, in their order.
void keep_better(std::optional<StepBounds>& found, std::optional<StepBounds> next);
inline bool has_enough_steps(const std::optional<StepBounds>& found) {
    return found && found->complete() >= k_least_complete_steps;
}

/// The events of a device as the step methods need them: the positions of allocs. Keeps a reference to the trace.
class StepEvents {
public:
    explicit StepEvents(const Timeline& timeline);

    const Snapshot& snapshot() const { return snapshot_; }
    const DeviceTrace& trace() const { return trace_; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(trace_.events.size()); }
    /// True if every event has a time.
    bool has_times() const { return !latest_us_.empty(); }
    /// The first event at or after a time; count() if there is none. Precondition: has_times().
    std::uint32_t at_time(std::int64_t time_us) const;
    std::int64_t first_time_us() const { return latest_us_.front(); }
    /// Event numbers of the allocs, ascending.
    const std::vector<std::uint32_t>& allocs() const { return allocs_; }
    std::uint64_t allocs_in(std::uint32_t begin_event, std::uint32_t end_event) const;
    /// True if the trace frees allocations whose allocs it does not contain.
    bool has_unmatched_frees() const { return has_unmatched_frees_; }
    /// True if events are missing at the beginning.
    bool is_wrapped() const { return has_unmatched_frees_ || has_overflowed_; }

private:
    const Snapshot& snapshot_;
    const DeviceTrace& trace_;
    std::vector<std::uint32_t> allocs_;
    std::vector<std::int64_t> latest_us_;  ///< by event: the latest time so far; empty unless every event has a time
    bool has_unmatched_frees_ = false;
    bool has_overflowed_ = false;
};

/// A named range; a missing mark has the time k_no_time.
struct NamedRange {
    std::string_view name;
    std::int64_t start_us = k_no_time;
    std::int64_t end_us = k_no_time;
};

/// The ranges of a device, or of all devices if it has none, sorted by their first mark.
std::vector<NamedRange> named_ranges(const Snapshot& snapshot, std::int32_t device);

/// Steps between marks, which are rising events above 0. The ends are complete only if they hold about as many allocs as the
/// stretches between marks. nullopt if no stretch holds any.
std::optional<StepBounds> steps_between(const StepEvents& events, const std::vector<std::uint32_t>& marks, StepMethod method,
                                        double confidence);

std::optional<StepBounds> steps_from_profiler(const StepEvents& events);
std::optional<StepBounds> steps_from_marks(const StepEvents& events);
/// The marks of steps that a file holds: the profiler's own or an optimizer's.
struct StepMarks {
    std::string first;      ///< name of the first mark; empty if there is none
    std::size_t count = 0;  ///< number of marks like the first: those of the same name, or all of the profiler's
};
StepMarks step_marks(const Snapshot& snapshot, const DeviceTrace& trace);
std::optional<StepBounds> steps_from_phases(const StepEvents& events, const StackPhases& stacks, const EventPhases& phases);
/// Returns nullopt if it was stopped.
std::optional<StepBounds> steps_from_period(const StepEvents& events, const StackPhases& stacks);
/// Each pass is a step. `repeats.pass_events` is not empty.
StepBounds steps_from_passes(const StepEvents& events, const Repetition& repeats);

}  // namespace snapviewer
