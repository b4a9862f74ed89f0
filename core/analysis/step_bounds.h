#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/steps.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// What one method found: steps of which only the bounds are known.
struct StepBounds {
    struct Bounds {
        std::uint32_t begin_event = 0;
        std::uint32_t end_event = 0;
        bool is_complete = true;
        std::string name = {};  ///< empty: by its place
    };
    StepMethod method = StepMethod::none;
    double confidence = 0;
    std::vector<Bounds> bounds;
    std::string mark = {};
    std::optional<double> similarity = {};

    std::size_t complete() const;
};

/// A method that finds fewer complete steps is followed by the next one.
inline constexpr std::size_t k_least_complete_steps = 2;

/// Keeps the first result with enough complete steps, otherwise the first result. Call once per method, in their order.
void keep_better(std::optional<StepBounds>& found, std::optional<StepBounds> next);
inline bool has_enough_steps(const std::optional<StepBounds>& found) {
    return found && found->complete() >= k_least_complete_steps;
}

/// The events of a device as the methods need them: where its allocs are. Keeps a reference to the trace.
class StepEvents {
public:
    explicit StepEvents(const Timeline& timeline);

    const Snapshot& snapshot() const { return snapshot_; }
    const DeviceTrace& trace() const { return trace_; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(trace_.events.size()); }
    /// Every event has a time.
    bool has_times() const { return !latest_us_.empty(); }
    /// The first event at or after a time; count() if there is none. Only with times.
    std::uint32_t at_time(std::int64_t time_us) const;
    std::int64_t first_time_us() const { return latest_us_.front(); }
    /// Events of allocs, ascending.
    const std::vector<std::uint32_t>& allocs() const { return allocs_; }
    std::uint64_t allocs_in(std::uint32_t begin_event, std::uint32_t end_event) const;
    /// Frees of what the trace never saw allocated.
    bool has_unmatched_frees() const { return has_unmatched_frees_; }
    /// Events from the beginning are missing.
    bool is_wrapped() const { return has_unmatched_frees_ || has_overflowed_; }

private:
    const Snapshot& snapshot_;
    const DeviceTrace& trace_;
    std::vector<std::uint32_t> allocs_;
    std::vector<std::int64_t> latest_us_;  ///< the latest time until each event; empty unless every event has one
    bool has_unmatched_frees_ = false;
    bool has_overflowed_ = false;
};

/// A named range as it was marked; k_no_time where a mark is missing.
struct NamedRange {
    std::string_view name;
    std::int64_t start_us = k_no_time;
    std::int64_t end_us = k_no_time;
};

/// The ranges of a device; where it has none, those of all. By their first mark.
std::vector<NamedRange> named_ranges(const Snapshot& snapshot, std::int32_t device);

/// Steps between marks, which are rising events above 0. The ends are complete only if they hold about as many allocs as the
/// stretches between marks. nullopt if no stretch holds any.
std::optional<StepBounds> steps_between(const StepEvents& events, const std::vector<std::uint32_t>& marks, StepMethod method,
                                        double confidence);

std::optional<StepBounds> steps_from_profiler(const StepEvents& events);
std::optional<StepBounds> steps_from_marks(const StepEvents& events);
/// The marks of steps that a file holds: the profiler's own or an optimizer's.
struct StepMarks {
    std::string first;      ///< the name of the first; empty without any
    std::size_t count = 0;  ///< of those like the first: of the same name, or all of the profiler's
};
StepMarks step_marks(const Snapshot& snapshot, const DeviceTrace& trace);
std::optional<StepBounds> steps_from_phases(const StepEvents& events, const StackPhases& stacks, const EventPhases& phases);
/// May be stopped, and then finds nothing.
std::optional<StepBounds> steps_from_period(const StepEvents& events, const StackPhases& stacks, const Progress* progress);
/// Each pass is a step. `repeats.pass_events` is not empty.
StepBounds steps_from_passes(const StepEvents& events, const Repetition& repeats);

}  // namespace snapviewer
