#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/kind_rules.h"
#include "core/analysis/phases.h"
#include "core/analysis/steps.h"
#include "core/timeline/modules.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The reason for the kind of an allocation.
enum class KindReason : std::uint8_t {
    user_rule,
    annotated,       ///< the program said so, by an annotation such as "parameter: layers.31.mlp.weight"
    recorded,        ///< the profiler named it
    allocators_own,  ///< made by the allocator for itself
    stack,           ///< the stack alone decides
    replica,         ///< DataParallel's copy of a weight
    freed_by_zero_grad,
    freed_in_backward,
    replaced_in_optimizer,
    outlives_optimizer,
    freed_in_optimizer,
    zero_grad,
    freed_at_once,
    accumulate_grad,
    recomputed,
    outlives_backward,
    freed_in_forward,
    outlives_forward,
    after_forward,  ///< made after the forward pass, freed in the backward pass
    lives_on,
    same_stack_and_size,  ///< the trace ends before its free; as most others of its stack and size
    trace_ends,           ///< the trace ends before its free, and there are no others
    before_recording,
    cut_off,
    no_stack,
    no_rule,
};

const char* kind_reason_text(KindReason reason);  ///< "freed in backward"

/// The kind of an allocation, and the reason.
struct KindOfAllocation {
    AllocationKind kind = AllocationKind::unknown;
    KindReason reason = KindReason::no_rule;
    AllocationKind inferred = AllocationKind::unknown;  ///< if the reason is `annotated`: the kind without the annotation
};

/// The reason in words; for an annotation also the kind without it, if that differs.
std::string because_text(const KindOfAllocation& of);

/// The total of one kind.
struct KindTotal {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
};
using KindTotals = std::array<KindTotal, k_allocation_kinds>;

/// The kinds of all allocations of a device. Immutable.
struct Kinds {
    std::vector<KindOfAllocation> of;  ///< by allocation
    KindTotals at_peak;
    KindTotals allocated;                                     ///< of all that the trace saw allocated
    std::map<KindReason, std::uint64_t> unknown_at_peak;      ///< bytes by reason
    std::optional<std::uint32_t> stackless_is_backward_from;  ///< see EventPhases

    /// An estimate of the blocks from before the recording by the sizes of the gradients: one parameter and two states of
    /// the optimizer for each gradient. A guess that is never part of the totals.
    struct Estimate {
        std::uint64_t parameter_bytes = 0;
        std::uint64_t optimizer_state_bytes = 0;
        std::uint64_t unexplained_bytes = 0;
        std::uint64_t of_bytes = 0;
    };
    std::optional<Estimate> estimate_of_before_recording;
};

/// The user's rules come first, then annotations that name a parameter, a gradient or the optimizer's state, then the
/// category the file records, communication, and the phase of the stack together with
/// the phase and the step of the free; nothing is spread over what remains unknown. Throws a Failure only when stopped.
/// O(allocations log runs).
Kinds find_kinds(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases, const Modules& modules,
                 const Steps& steps, const KindRules& rules = {});

}  // namespace snapviewer
