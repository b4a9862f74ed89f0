#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"
#include "core/trace/stack_lines.h"
#include "core/trace/stack_table.h"

namespace snapviewer::steps {

/// The activities of a training program. If a stack shows several, the first in this order applies.
enum class Phase : std::uint8_t { none, zero_grad, optimizer, backward, forward, init };

/// Traits of the work during which a stack was recorded.
struct StackTraits {
    Phase phase = Phase::none;
    bool is_communication = false;  ///< True for a collective operation, or an allocation for one
    bool accumulates = false;       ///< True if the work adds up the gradient of a leaf tensor
    bool is_workspace = false;      ///< True for scratch memory that a library allocates
    bool is_replica = false;        ///< True for copies of the weights that DataParallel makes on each device for one pass
    bool recomputes = false;        ///< True for forward work that activation checkpointing repeats
    bool has_python = false;
    bool has_cpp = false;
};

/// The phase that one frame shows by itself, or Phase::none. `path` is a result of normal_path().
Phase phase_of_frame(std::string_view path, std::string_view function);

/// True for the function `forward` and for a method of that name.
bool is_forward_method(std::string_view function);

/// The traits of every stack of a snapshot, computed once for each. Immutable and thread-safe. Does not keep the snapshot.
class StackPhases {
public:
    /// Computes the traits of all stacks. Throws a Failure only when stopped. O(frames of all distinct stacks and the text
    /// of all distinct frames).
    static StackPhases build(const Snapshot& snapshot, const StackLines& lines);

    /// The traits of a stack. Returns empty traits for StackId::none().
    const StackTraits& traits(StackId stack) const { return traits_[stack.is_some() ? stack.value : traits_.size() - 1]; }
    Phase phase(StackId stack) const { return traits(stack).phase; }

private:
    std::vector<StackTraits> traits_;  ///< indexed by stack; the last entry is for StackId::none()
};

/// The phase of each event of a device. An event has the phase of the last alloc up to it whose stack shows one. A run is a
/// maximal sequence of events in one phase. Immutable; keeps no reference.
class EventPhases {
public:
    /// Computes the phases of all events. Throws a Failure only when stopped. O(events).
    static EventPhases build(const DeviceTrace& trace, const StackPhases& stacks);

    Phase at(std::uint32_t event) const;
    /// The number of the run that contains an event; 0 before the first run. O(log runs). The function at() has the same
    /// cost.
    std::uint32_t run(std::uint32_t event) const;
    std::uint32_t last_run() const { return static_cast<std::uint32_t>(runs_.size()); }
    /// The last alloc of a run whose stack shows the run's phase. Precondition: `run` is not 0.
    std::uint32_t last_alloc(std::uint32_t run) const { return runs_[run - 1].last_alloc; }

    /// First event from which an alloc without a stack belongs to the backward pass, or nullopt. Recordings of Python stacks
    /// alone have no stacks for the backward pass, which runs on its own thread. If such a recording has a forward pass,
    /// allocs without a stack are backward, but only from its first stack on: before that, recording of stacks may have been
    /// off.
    std::optional<std::uint32_t> stackless_is_backward_from() const { return backward_from_; }
    /// True if frees have stacks of their own instead of a copy of the alloc's stack.
    bool frees_have_own_stacks() const { return frees_have_own_stacks_; }
    /// The phase of the alloc at an event, from the alloc's stack.
    Phase of_alloc(const StackPhases& stacks, StackId stack, std::uint32_t event) const {
        if (!stack.is_some()) return backward_from_ && event >= *backward_from_ ? Phase::backward : Phase::none;
        return stacks.phase(stack);
    }
    /// The phase in which an allocation was freed, or Phase::none while it is live. Uses the free's own stack if frees have
    /// stacks and this one shows a phase, otherwise the phase of the free event.
    Phase of_free(const DeviceTrace& trace, const StackPhases& stacks, AllocationId id) const;

private:
    struct Run {
        std::uint32_t begin;
        std::uint32_t last_alloc;
        Phase phase;
    };
    std::vector<Run> runs_;  ///< All runs; the first one has the number 1
    std::optional<std::uint32_t> backward_from_;
    bool frees_have_own_stacks_ = false;
};

/// The phase that each event itself shows, indexed by event. EventPhases, in contrast, fills the gaps between such events.
/// The phase comes from the alloc's stack, or from the free's stack if frees have stacks of their own. If that stack shows
/// none, it comes from the innermost range of an optimizer around the event (Optimizer.step#..., Optimizer.zero_grad#...).
/// Throws a Failure only when stopped. O(events + annotations).
std::vector<Phase> find_phases_by_event(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases);

}  // namespace snapviewer::steps
