#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/kinds/kind_rules.h"
#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/steps.h"
#include "core/timeline/modules.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The reason for the kind of an allocation.
enum class KindReason : std::uint8_t {
    user_rule,
    annotated,             ///< an annotation of the program names the kind, such as "parameter: layers.31.mlp.weight"
    recorded,              ///< the profiler recorded the kind
    internal_allocations,  ///< the allocator made it for its own use
    stack,                 ///< the stack alone shows the kind
    replica,               ///< a copy of a weight made by DataParallel
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
    after_forward,  ///< made after the forward pass and freed in the backward pass
    lives_on,
    same_stack_and_size,  ///< not freed before the trace ends; has the kind of most allocations with the same stack and size
    trace_ends,           ///< not freed before the trace ends, and no other allocation has the same stack and size
    before_recording,
    cut_off,
    no_stack,
    no_rule,
};

const char* kind_reason_text(KindReason reason);  ///< Text for users, such as "freed in backward"

/// The kind of an allocation, with its reason.
struct KindOfAllocation {
    AllocationKind kind = AllocationKind::unknown;
    KindReason reason = KindReason::no_rule;
    AllocationKind inferred = AllocationKind::unknown;  ///< Kind without the annotation, if the reason is `annotated`
};

/// The reason as text. For an annotation it adds the kind that would apply without it, if that kind differs.
std::string because_text(const KindOfAllocation& of);

/// Bytes and number of the allocations of one kind.
struct KindTotal {
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
};
using KindTotals = std::array<KindTotal, k_allocation_kinds>;

/// The kinds of all allocations of a device. Immutable.
struct Kinds {
    std::vector<KindOfAllocation> of;  ///< Kind of each allocation, indexed by allocation
    KindTotals at_peak;
    KindTotals allocated;                                 ///< Totals of all allocations made during the recording
    std::map<KindReason, std::uint64_t> unknown_at_peak;  ///< Bytes of unknown kind at the peak, by reason
    /// First event from which an alloc without a stack counts as backward; see EventPhases::stackless_is_backward_from()
    std::optional<std::uint32_t> stackless_is_backward_from;

    /// An estimate of the purpose of blocks from before the recording, from the sizes of the gradients. It assumes one
    /// parameter and two optimizer states for each gradient. The totals never include this guess.
    struct Estimate {
        std::uint64_t parameter_bytes = 0;
        std::uint64_t optimizer_state_bytes = 0;
        std::uint64_t unexplained_bytes = 0;
        std::uint64_t of_bytes = 0;
    };
    std::optional<Estimate> estimate_of_before_recording;
};

/// Finds the kind of each allocation. Evidence is tried in this order: the user's rules; annotations that name a parameter,
/// a gradient or the optimizer's state; the category in the file; communication; the phase of the stack together with the
/// phase and the step of the free. Allocations without evidence remain unknown; their bytes are not distributed over other
/// kinds. Throws a Failure only when stopped. O(allocations log runs).
Kinds find_kinds(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases, const Modules& modules,
                 const Steps& steps, const KindRules& rules = {});

}  // namespace snapviewer
