#include "core/analysis/steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/event_steps.h"
#include "core/analysis/rounded.h"
#include "core/analysis/step_bounds.h"
#include "core/base/context.h"

namespace snapviewer {
namespace {

/// Finds the largest total within a step and the first event after which it was reached.
void find_peak(const Timeline& timeline, TrainingStep& step) {
    std::uint32_t best = tick_of_moment(timeline, step.begin_event + 1);
    step.peak_event = step.begin_event;
    const std::uint32_t last = tick_of_moment(timeline, step.end_event);
    for (std::uint32_t tick = best + 1; tick <= last; ++tick) {
        if (timeline.total_after_tick(tick) <= timeline.total_after_tick(best)) continue;
        best = tick;
        step.peak_event = timeline.tick_events()[tick] - 1;
    }
    step.peak_bytes = timeline.total_after_tick(best);
}

TrainingStep describe_step(const Timeline& timeline, const StepEvents& events, const StepBounds::Bounds& bounds,
                           std::size_t place) {
    TrainingStep step;
    step.name = bounds.name.empty() ? fmt::format("step {}", place) : bounds.name;
    step.begin_event = bounds.begin_event;
    step.end_event = bounds.end_event;
    step.is_complete = bounds.is_complete;
    step.begin_step = step_of_event(timeline, bounds.begin_event);
    step.end_step = step_of_event(timeline, bounds.end_event);
    step.allocs = events.allocs_in(bounds.begin_event, bounds.end_event);
    step.live_begin_bytes = timeline.total_after_tick(tick_of_moment(timeline, bounds.begin_event));
    step.live_end_bytes = timeline.total_after_tick(tick_of_moment(timeline, bounds.end_event));
    find_peak(timeline, step);
    return step;
}

/// True if an alloc or free in this range of events comes from a backward pass.
bool has_backward(const StepEvents& events, const StackPhases& stacks, const EventPhases& phases, std::uint32_t begin,
                  std::uint32_t end) {
    const EventColumns& all = events.trace().events;
    for (std::uint32_t event = begin; event < end; ++event) {
        const StackId stack = all.stack[event];
        switch (all.action[event]) {
            case Action::alloc:
                if (phases.of_alloc(stacks, stack, event) == Phase::backward) return true;
                break;
            case Action::free_requested:
            case Action::free_completed:
                if (stacks.phase(stack) == Phase::backward) return true;
                break;
            default: break;
        }
    }
    return false;
}

/// The steps of the first method that finds enough complete steps, or of the first method that finds any.
std::optional<StepBounds> find_bounds(const StepEvents& events, const StackPhases& stacks, const EventPhases& phases) {
    std::optional<StepBounds> found = steps_from_profiler(events);
    if (!has_enough_steps(found)) keep_better(found, steps_from_marks(events));
    if (!has_enough_steps(found)) keep_better(found, steps_from_phases(events, stacks, phases));
    if (!has_enough_steps(found)) keep_better(found, steps_from_period(events, stacks));
    return found;
}

/// The reason why a device has no steps. `found` contains the steps of the first method that found any.
std::string why_no_steps(const StepEvents& events, const std::optional<StepBounds>& found,
                         const std::optional<Repetition>& repeats) {
    if (found)
        return fmt::format("fewer than two complete steps ({}: {})", step_method_name(found->method), found->complete());
    std::string reason;
    const StepMarks marks = step_marks(events.snapshot(), events.trace());
    if (marks.count == 1) {
        reason = fmt::format("{} comes only once", marks.first);
    } else if (events.count() == 0) {
        return "no events";
    } else if (marks.count > 1) {
        reason = fmt::format("fewer than two complete steps between {} marks such as {}", marks.count, marks.first);
    } else {
        reason = repeats ? "no marks" : "no marks, and no repeating pattern in the allocations";
    }
    if (!repeats) return reason;
    return fmt::format("{}; {} allocations, starting at {}, repeat {} times, {}", reason, repeats->allocations,
                       repeats->source, repeats->times, no_step_reason_words(repeats->why));
}

}  // namespace

const char* step_word(bool training) { return training ? "training step" : "repetition"; }

const char* step_method_name(StepMethod method) {
    switch (method) {
        case StepMethod::none: return "none";
        case StepMethod::profiler: return "profiler";
        case StepMethod::marks: return "marks";
        case StepMethod::optimizer_stacks: return "optimizer stacks";
        case StepMethod::forward_and_backward: return "forward and backward";
        case StepMethod::period: return "period";
    }
    return "";
}

Steps find_steps(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases) {
    const StepEvents events(timeline);
    std::optional<StepBounds> found = find_bounds(events, stacks, phases);
    check_stop();
    Steps steps;
    if (!has_enough_steps(found)) {
        steps.repeats = find_repetition(timeline, stacks, phases);
        check_stop();
        if (steps.repeats && !steps.repeats->pass_events.empty()) found = steps_from_passes(events, *steps.repeats);
    }
    if (found) {
        steps.mark = found->mark;
        steps.similarity = found->similarity;
        steps.complete = found->complete();
    }
    if (!has_enough_steps(found)) {
        steps.reason = why_no_steps(events, found, steps.repeats);
        return steps;
    }
    steps.repeats = std::nullopt;
    steps.method = found->method;
    steps.confidence = rounded(found->confidence, 2);
    for (std::size_t i = 0; i < found->bounds.size(); ++i) {
        steps.steps.push_back(describe_step(timeline, events, found->bounds[i], i));
        check_stop();
    }
    steps.training = has_backward(events, stacks, phases, steps.steps.front().begin_event, steps.steps.back().end_event);
    return steps;
}

std::span<const TrainingStep> longest_complete_run(const Steps& steps) {
    const std::span<const TrainingStep> all = steps.steps;
    std::span<const TrainingStep> best;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i].is_complete) begin = i + 1;
        if (i + 1 - begin > best.size() && all[i].is_complete) best = all.subspan(begin, i + 1 - begin);
    }
    return best;
}

}  // namespace snapviewer
