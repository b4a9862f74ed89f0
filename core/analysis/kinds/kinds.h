#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/steps.h"
#include "core/base/result.h"
#include "core/timeline/modules.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer::kinds {

/// The purpose of an allocation.
enum class AllocationKind : std::uint8_t {
    parameter,
    gradient,
    optimizer_state,
    activation,
    temporary,
    communication,
    workspace,         ///< scratch memory of a library such as cuBLAS, cuDNN or cuSOLVER
    before_recording,  ///< made before the recording, with no evidence of its purpose
    unknown,
};

inline constexpr std::size_t k_allocation_kinds = 9;

/// Identifier for JSON and SQL, such as "parameter" or "optimizer_state"
const char* allocation_kind_name(AllocationKind kind);
std::string allocation_kind_words(AllocationKind kind);  ///< Text for users, such as "parameter" or "optimizer state"
std::optional<AllocationKind> allocation_kind_named(std::string_view name);

/// A user's own rules, which take precedence over all others. A rule gives a kind to each allocation whose stack or metadata
/// matches a regular expression. Immutable; copies share their state.
class KindRules {
public:
    KindRules() = default;  ///< A set without rules

    /// Parses a JSON list of {"kind": ..., "frame": ..., "metadata": ...}, in which "frame" or "metadata" may be missing.
    /// Regular expressions use the ECMAScript syntax without back-references. They match anywhere in the text of a stack
    /// (file:line:function, one line per frame) or in the user metadata. At most 1,000 rules. The error names the invalid
    /// rule.
    static Result<KindRules> parse(std::string_view json);

    bool empty() const { return rules_ == nullptr; }

    /// The number of the first matching rule for each stack and each metadata text, or k_no_rule. match() is linear in the
    /// number and length of the texts. It throws a Failure when stopped, or if the texts exceed a bound that grows with the
    /// file.
    struct Matches {
        std::vector<std::uint32_t> of_stack;
        std::uint32_t of_no_stack = 0;
        std::vector<std::uint32_t> of_metadata;
        std::uint32_t of_no_metadata = 0;
    };
    static constexpr std::uint32_t k_no_rule = 0xFFFFFFFF;
    Matches match(const Snapshot& snapshot) const;
    AllocationKind kind(std::uint32_t rule) const;

private:
    struct Rule;
    void check_cost(const Snapshot& snapshot) const;
    std::shared_ptr<const std::vector<Rule>> rules_;
};

/// The reason for the kind of an allocation.
enum class KindReason : std::uint8_t {
    user_rule,
    annotated,             ///< an annotation of the program names the kind, such as "parameter: layers.31.mlp.weight"
    recorded,              ///< the profiler recorded the kind
    internal_allocations,  ///< the allocator made the allocation for its own use
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
Kinds find_kinds(const Timeline& timeline, const steps::StackPhases& stacks, const steps::EventPhases& phases,
                 const Modules& modules, const steps::Steps& steps, const KindRules& rules = {});

}  // namespace snapviewer::kinds
