#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/steps/phases.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

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

}  // namespace snapviewer
