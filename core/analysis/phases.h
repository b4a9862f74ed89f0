#pragma once

#include <cstdint>
#include <optional>
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

/// True for the function `forward` and for a method of that name.
bool is_forward_method(std::string_view function);

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
    /// The last alloc of a run whose stack shows its phase. `run` is not 0.
    std::uint32_t last_alloc(std::uint32_t run) const { return run_last_allocs_[run - 1]; }

    /// A recording of Python stacks alone has none for the backward pass, which runs on a thread of its own. If such a
    /// recording has a forward pass, its allocs without a stack are those of the backward pass, from its first stack on:
    /// before that, stacks may not have been recorded yet. nullopt for other recordings.
    std::optional<std::uint32_t> stackless_is_backward_from() const { return backward_from_; }
    /// Frees have stacks of their own, instead of repeating those of the allocs.
    bool frees_tell() const { return frees_tell_; }
    /// The phase of the alloc at an event, from its stack.
    Phase of_alloc(const StackPhases& stacks, StackId stack, std::uint32_t event) const {
        if (!stack.is_some()) return backward_from_ && event >= *backward_from_ ? Phase::backward : Phase::none;
        return stacks.phase(stack);
    }
    /// The phase in which an allocation was freed: that of the free's stack where frees have stacks of their own and it
    /// tells one, otherwise the one its event lies in; none while it lives.
    Phase of_free(const DeviceTrace& trace, const StackPhases& stacks, AllocationId id) const;

private:
    std::vector<std::uint32_t> run_begins_;  ///< event with which run 1, 2, ... begins
    std::vector<Phase> run_phases_;
    std::vector<std::uint32_t> run_last_allocs_;
    std::optional<std::uint32_t> backward_from_;
    bool frees_tell_ = false;
};

}  // namespace snapviewer
