#include "core/analysis/told_phases.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/step_bounds.h"
#include "core/base/context.h"

namespace snapviewer {
namespace {

Phase phase_of_range(std::string_view name) {
    if (name.starts_with("Optimizer.zero_grad#")) return Phase::zero_grad;
    return name.starts_with("Optimizer.step#") ? Phase::optimizer : Phase::none;
}

/// The phase of each event according to optimizer ranges. Empty if events have no times to compare with the ranges.
std::vector<Phase> phases_of_ranges(const StepEvents& events) {
    if (!events.has_times()) return {};
    std::vector<NamedRange> ranges = named_ranges(events.snapshot(), events.trace().device);
    std::erase_if(ranges, [](const NamedRange& range) {
        return phase_of_range(range.name) == Phase::none || range.start_us == k_no_time || range.end_us == k_no_time;
    });
    std::ranges::stable_sort(ranges, {}, &NamedRange::start_us);
    std::vector<Phase> told(events.count(), Phase::none);
    // Ranges are visited in reverse order of their start, so inner ranges come first. Each event is set only once,
    // regardless of the number of ranges around it.
    std::vector<std::uint32_t> next_untold(events.count() + std::size_t{1});
    std::iota(next_untold.begin(), next_untold.end(), 0U);
    const auto untold_from = [&](std::uint32_t event) {
        while (next_untold[event] != event) event = next_untold[event] = next_untold[next_untold[event]];
        return event;
    };
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
        const std::uint32_t end = events.at_time(range->end_us);
        for (std::uint32_t event = untold_from(events.at_time(range->start_us)); event < end; event = untold_from(event)) {
            told[event] = phase_of_range(range->name);
            next_untold[event] = event + 1;
        }
    }
    return told;
}

}  // namespace

std::vector<Phase> find_told_phases(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases) {
    constexpr std::uint32_t k_events_between_looks = 1U << 16;
    const StepEvents events(timeline);
    const EventColumns& all = events.trace().events;
    std::vector<Phase> told = phases_of_ranges(events);
    told.resize(events.count(), Phase::none);
    for (std::uint32_t event = 0; event < events.count(); ++event) {
        if (event % k_events_between_looks == 0) check_stop();
        Phase by_stack = Phase::none;
        switch (all.action[event]) {
            case Action::alloc: by_stack = phases.of_alloc(stacks, all.stack[event], event); break;
            case Action::free_requested:
            case Action::free_completed:
                if (phases.frees_tell()) by_stack = stacks.phase(all.stack[event]);
                break;
            default: break;
        }
        if (by_stack != Phase::none) told[event] = by_stack;
    }
    return told;
}

}  // namespace snapviewer
