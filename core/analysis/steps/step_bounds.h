#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/steps/steps.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

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

/// The ranges of a device, or of all devices if that device has none, sorted by their first mark.
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

}  // namespace snapviewer
