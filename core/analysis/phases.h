#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// What a training program is busy with.
enum class Phase : std::uint8_t { none, zero_grad, optimizer, backward, forward, init };

/// What a stack tells of the work it was recorded in.
struct StackTraits {
    Phase phase = Phase::none;
    bool is_communication = false;  ///< of collective operations, or of what is allocated for them
    bool accumulates = false;       ///< the gradient of a leaf is being added up
    bool is_workspace = false;      ///< scratch memory that a library asked for
    bool is_replica = false;        ///< copies of the weights that DataParallel makes on each device for one pass
    bool recomputes = false;        ///< forward work that activation checkpointing does again
    bool has_python = false;
    bool has_cpp = false;
};

/// The phase that one frame tells by itself; `path` as normal_path() gives it. none if it tells none.
Phase phase_of_frame(std::string_view path, std::string_view function);

/// The traits of every stack of a snapshot, each worked out once. Immutable; safe to read from many threads; does not keep
/// the snapshot.
class StackPhases {
public:
    /// Fails only when stopped. O(frames of all distinct stacks and the text of all distinct frames).
    static Result<StackPhases> build(const Snapshot& snapshot, const StackLines& lines, const Progress* progress = nullptr);

    /// Nothing in particular for StackId::none().
    const StackTraits& traits(StackId stack) const { return traits_[stack.is_some() ? stack.value : traits_.size() - 1]; }
    Phase phase(StackId stack) const { return traits(stack).phase; }

private:
    std::vector<StackTraits> traits_;  ///< by stack, and those of no stack at the end
};

/// Which phase each event of a device lies in: that of the last alloc until then whose stack tells one. A run is a stretch
/// of one phase. Immutable; keeps no reference.
class EventPhases {
public:
    /// Fails only when stopped. O(events).
    static Result<EventPhases> build(const DeviceTrace& trace, const StackPhases& stacks,
                                     const Progress* progress = nullptr);

    Phase at(std::uint32_t event) const;
    /// The number of the run; 0 is what comes before the first one. O(log runs), as at().
    std::uint32_t run(std::uint32_t event) const;
    std::uint32_t last_run() const { return static_cast<std::uint32_t>(run_begins_.size()); }

    /// Recordings of Python stacks alone have none for the backward pass, which runs on a thread of its own; where all else
    /// has one, no stack means that.
    bool stackless_is_backward() const { return stackless_is_backward_; }
    /// Frees have stacks of their own, instead of repeating those of the allocs.
    bool frees_tell() const { return frees_tell_; }
    /// Of the stack of an alloc.
    Phase of_alloc(const StackPhases& stacks, StackId stack) const {
        if (!stack.is_some()) return stackless_is_backward_ ? Phase::backward : Phase::none;
        return stacks.phase(stack);
    }
    /// The phase in which an allocation was freed: that of the free's stack where frees have stacks of their own and it
    /// tells one, otherwise the one its event lies in; none while it lives.
    Phase of_free(const DeviceTrace& trace, const StackPhases& stacks, AllocationId id) const;

private:
    std::vector<std::uint32_t> run_begins_;  ///< event with which run 1, 2, ... begins
    std::vector<Phase> run_phases_;
    bool stackless_is_backward_ = false;
    bool frees_tell_ = false;
};

}  // namespace snapviewer
