#include "core/analysis/steps/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/analysis/steps/step_bounds.h"
#include "core/base/context.h"
#include "core/base/number_text.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/totals.h"

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

/// Computes the values of a step from its bounds. `place` is its number.
void describe_step(const Timeline& timeline, const StepEvents& events, std::size_t place, TrainingStep& step) {
    if (step.name.empty()) step.name = fmt::format("step {}", place);
    step.begin_step = step_of_event(timeline, step.begin_event);
    step.end_step = step_of_event(timeline, step.end_event);
    step.allocs = events.allocs_in(step.begin_event, step.end_event);
    step.live_begin_bytes = timeline.total_after_tick(tick_of_moment(timeline, step.begin_event));
    step.live_end_bytes = timeline.total_after_tick(tick_of_moment(timeline, step.end_event));
    find_peak(timeline, step);
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
std::optional<Steps> find_bounds(const StepEvents& events, const StackPhases& stacks, const EventPhases& phases) {
    std::optional<Steps> found = steps_from_profiler(events);
    if (!has_enough_steps(found)) keep_best(found, steps_from_marks(events));
    if (!has_enough_steps(found)) keep_best(found, steps_from_phases(events, stacks, phases));
    if (!has_enough_steps(found)) keep_best(found, steps_from_period(events, stacks));
    return found;
}

/// The reason why a device has no steps. `found` contains the steps of the first method that found any.
std::string why_no_steps(const StepEvents& events, const std::optional<Steps>& found,
                         const std::optional<Repetition>& repeats) {
    if (found)
        return fmt::format("fewer than two complete steps ({}: {})", step_method_name(found->method),
                           count_complete(*found));
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
    constexpr std::array k_names = {"none", "profiler", "marks", "optimizer stacks", "forward and backward", "period"};
    return k_names.at(static_cast<std::size_t>(method));
}

Steps find_steps(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases) {
    const StepEvents events(timeline);
    std::optional<Steps> found = find_bounds(events, stacks, phases);
    check_stop();
    std::optional<Repetition> repeats;
    if (!has_enough_steps(found)) {
        repeats = find_repetition(timeline, stacks, phases);
        check_stop();
        if (repeats && !repeats->pass_events.empty()) found = steps_from_passes(events, *repeats);
    }
    Steps steps = found.value_or(Steps());
    steps.complete = count_complete(steps);
    if (!has_enough_steps(found)) {
        steps.method = StepMethod::none;
        steps.confidence = 0;
        steps.steps.clear();
        steps.reason = why_no_steps(events, found, repeats);
        steps.repeats = std::move(repeats);
        return steps;
    }
    steps.confidence = rounded(steps.confidence, 2);
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
        describe_step(timeline, events, i, steps.steps[i]);
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

namespace {

struct PhaseTexts {
    const char* name;   ///< for JSON
    const char* words;  ///< for users
};
/// In the order of Phase.
constexpr std::array<PhaseTexts, 6> k_phases = {{{"", ""},
                                                 {"zero_grad", "zero_grad"},
                                                 {"optimizer", "the optimizer step"},
                                                 {"backward", "the backward pass"},
                                                 {"forward", "the forward pass"},
                                                 {"init", "the set-up of the model"}}};

/// The event that reaches the peak, or nullopt if no event in the file reaches it.
std::optional<std::uint32_t> event_of_peak(const Timeline& timeline) {
    if (is_peak_behind_cut(timeline)) return std::nullopt;
    const std::uint32_t moment = timeline.tick_events()[timeline.peak_tick()];
    if (moment == 0 || timeline.trace().events.action[moment - 1] != Action::alloc) return std::nullopt;
    return moment - 1;
}

/// Fills the phases that are known before and after an event within a step.
void find_neighbouring_phases(const Timeline& timeline, std::span<const Phase> phases, const TrainingStep& step,
                              std::uint32_t event, PeakPhase& peak) {
    const auto is_known = [](Phase phase) { return phase != Phase::none; };
    const auto earlier = phases.subspan(step.begin_event, event - step.begin_event);
    const auto later = phases.subspan(event + 1, step.end_event - event - 1);
    const auto before = std::find_if(earlier.rbegin(), earlier.rend(), is_known);
    const auto after = std::ranges::find_if(later, is_known);
    const Phase first = before == earlier.rend() ? Phase::none : *before;
    const Phase second = after == later.end() ? Phase::none : *after;
    if (peak.in == Phase::none && first != second) {
        peak.after = first;
        peak.before = second;
    }
    const auto change = std::ranges::find_if(later, [&](Phase phase) { return is_known(phase) && phase != peak.in; });
    if (change == later.end() || *change != Phase::zero_grad) return;
    const std::uint32_t zero_grad = event + 1 + static_cast<std::uint32_t>(change - later.begin());
    peak.steps_before_zero_grad = step_of_event(timeline, zero_grad) - step_of_event(timeline, event);
}

}  // namespace

const char* phase_name(Phase phase) { return k_phases.at(static_cast<std::size_t>(phase)).name; }

PeakPhase find_peak_phase(const Timeline& timeline, std::span<const Phase> phases, const Steps& steps) {
    PeakPhase peak;
    const std::optional<std::uint32_t> event = event_of_peak(timeline);
    if (!event) return peak;
    peak.in = phases[*event];
    const auto step = std::ranges::find_if(
        steps.steps, [&](const TrainingStep& each) { return each.begin_event <= *event && *event < each.end_event; });
    if (step == steps.steps.end()) return peak;
    peak.step = step->name;
    peak.step_words = steps.method == StepMethod::profiler
                          ? step->name
                          : fmt::format("{} {}", step_word(steps.training), step - steps.steps.begin());
    find_neighbouring_phases(timeline, phases, *step, *event, peak);
    return peak;
}

std::string PeakPhase::words() const {
    std::string text;
    const auto add = [&](const char* link, Phase phase) {
        if (phase != Phase::none)
            text += fmt::format("{}{} {}", text.empty() ? "" : " and ", link,
                                k_phases.at(static_cast<std::size_t>(phase)).words);
    };
    add("in", in);
    add("after", after);
    if (!steps_before_zero_grad) add("before", before);
    if (!step.empty()) text += fmt::format("{} {}", text.empty() ? "in" : " of", step_words);
    if (steps_before_zero_grad)
        text += fmt::format(", {} step{} before zero_grad", format_count(*steps_before_zero_grad),
                            *steps_before_zero_grad == 1 ? "" : "s");
    return text;
}

}  // namespace snapviewer
