#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/phases.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Why an exact repetition is not accepted as a step.
enum class NoStepReason : std::uint8_t {
    no_stacks,      ///< no stack shows the owner of the allocations
    no_backward,    ///< the recording has a backward pass, the repeated part has none
    inside_module,  ///< all of it is made inside modules or in the backward pass, like the layers of one pass
    uneven,         ///< no line outside a module begins all of them evenly
};

const char* no_step_reason_name(NoStepReason reason);   ///< "inside_module", as in JSON
std::string no_step_reason_words(NoStepReason reason);  ///< "but no stack says what they belong to"

/// Allocations that recur in the same order, with the same sizes and stacks, although no steps were found.
struct Repetition {
    std::uint64_t allocations = 0;  ///< number of allocations in one repetition
    std::uint64_t times = 0;
    std::uint32_t begin_event = 0;
    std::uint32_t end_event = 0;  ///< the event of the last allocation
    std::string source;           ///< the line of the first allocation that has a stack
    NoStepReason why = NoStepReason::uneven;
    /// If the repeated part is a whole pass through a model: the event at which each pass begins, and the event at which the
    /// last pass ends. Empty otherwise.
    std::vector<std::uint32_t> pass_events;
};

/// The stretch of allocations that covers most of the recording by repeating, if it comes at least three times and covers at
/// least half. nullopt too when stopped. O(64 allocations).
///
/// It is a whole pass if it contains three or more equal units in a row, as a pass contains its layers, and no call of
/// forward() encloses all of it, as the forward() of a model encloses its layers. A pass begins where least memory is live.
std::optional<Repetition> find_repetition(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases);

}  // namespace snapviewer
