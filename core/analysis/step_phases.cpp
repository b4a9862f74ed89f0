// Steps found from stacks. A step ends where the optimizer's allocations end, or where those of the backward pass end before
// a forward pass.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/analysis/step_bounds.h"

namespace snapviewer {
namespace {

/// A stretch of allocs of one phase that ends a step, and the phases that end the stretch.
struct Burst {
    Phase phase;
    bool backward_ends_it;  ///< True if the backward phase ends the burst; the forward phase always does
    StepMethod method;
    double confidence;
};

constexpr std::array k_bursts = {Burst{Phase::optimizer, true, StepMethod::optimizer_stacks, 0.5},
                                 Burst{Phase::backward, false, StepMethod::forward_and_backward, 0.3}};

/// The first alloc after each burst that another phase follows. A last burst without a following phase counts too.
std::vector<std::uint32_t> ends_of_bursts(const StepEvents& events, const Burst& burst, const StackPhases& stacks,
                                          const EventPhases& phases) {
    constexpr std::uint32_t k_not_yet = 0xFFFFFFFF;
    std::vector<std::uint32_t> ends;
    bool is_in_burst = false;
    std::uint32_t after = k_not_yet;
    for (const std::uint32_t event : events.allocs()) {
        const Phase phase = phases.of_alloc(stacks, events.trace().events.stack[event], event);
        if (phase == burst.phase) {
            is_in_burst = true;
            after = k_not_yet;
            continue;
        }
        if (is_in_burst && after == k_not_yet) after = event;
        if (phase != Phase::forward && !(burst.backward_ends_it && phase == Phase::backward)) continue;
        if (is_in_burst) ends.push_back(after);
        is_in_burst = false;
        after = k_not_yet;
    }
    if (is_in_burst && !ends.empty()) ends.push_back(after == k_not_yet ? events.count() : after);
    return ends;
}

/// The share of the complete steps whose number of events is within 25 % of the median.
double regularity(const StepBounds& found) {
    std::vector<std::uint32_t> sizes;
    for (const StepBounds::Bounds& each : found.bounds) {
        if (each.is_complete) sizes.push_back(each.end_event - each.begin_event);
    }
    if (sizes.empty()) return 0;
    std::ranges::sort(sizes);
    const double middle = sizes[sizes.size() / 2];
    const auto is_usual = [middle](std::uint32_t size) { return std::abs(size - middle) <= 0.25 * middle; };
    return static_cast<double>(std::ranges::count_if(sizes, is_usual)) / static_cast<double>(sizes.size());
}

}  // namespace

std::optional<StepBounds> steps_from_phases(const StepEvents& events, const StackPhases& stacks, const EventPhases& phases) {
    std::optional<StepBounds> best;
    for (const Burst& burst : k_bursts) {
        const std::vector<std::uint32_t> marks = ends_of_bursts(events, burst, stacks, phases);
        if (marks.size() < 2) continue;
        auto found = steps_between(events, marks, burst.method, burst.confidence);
        if (!found) continue;
        found->confidence += 0.3 * regularity(*found);
        keep_better(best, std::move(found));
        if (has_enough_steps(best)) break;
    }
    return best;
}

}  // namespace snapviewer
