#include "core/analysis/peak_phase.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/event_steps.h"
#include "core/base/units.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

const char* words_of_phase(Phase phase) {
    switch (phase) {
        case Phase::none: break;
        case Phase::zero_grad: return "zero_grad";
        case Phase::optimizer: return "the optimizer step";
        case Phase::backward: return "the backward pass";
        case Phase::forward: return "the forward pass";
        case Phase::init: return "the set-up of the model";
    }
    return "";
}

/// The event that reaches the peak, or nullopt if no event in the file reaches it.
std::optional<std::uint32_t> event_of_peak(const Timeline& timeline) {
    if (is_peak_behind_cut(timeline)) return std::nullopt;
    const std::uint32_t moment = timeline.tick_events()[timeline.peak_tick()];
    if (moment == 0 || timeline.trace().events.action[moment - 1] != Action::alloc) return std::nullopt;
    return moment - 1;
}

/// Fills the phases that are known before and after an event within a step.
void look_around(const Timeline& timeline, std::span<const Phase> told, const TrainingStep& step, std::uint32_t event,
                 PeakPhase& peak) {
    const auto tells = [](Phase phase) { return phase != Phase::none; };
    const auto earlier = told.subspan(step.begin_event, event - step.begin_event);
    const auto later = told.subspan(event + 1, step.end_event - event - 1);
    const auto before = std::find_if(earlier.rbegin(), earlier.rend(), tells);
    const auto after = std::ranges::find_if(later, tells);
    const Phase first = before == earlier.rend() ? Phase::none : *before;
    const Phase second = after == later.end() ? Phase::none : *after;
    if (peak.in == Phase::none && first != second) {
        peak.after = first;
        peak.before = second;
    }
    const auto change = std::ranges::find_if(later, [&](Phase phase) { return tells(phase) && phase != peak.in; });
    if (change == later.end() || *change != Phase::zero_grad) return;
    const std::uint32_t zero_grad = event + 1 + static_cast<std::uint32_t>(change - later.begin());
    peak.steps_before_zero_grad = step_of_event(timeline, zero_grad) - step_of_event(timeline, event);
}

}  // namespace

const char* phase_name(Phase phase) {
    switch (phase) {
        case Phase::none: break;
        case Phase::zero_grad: return "zero_grad";
        case Phase::optimizer: return "optimizer";
        case Phase::backward: return "backward";
        case Phase::forward: return "forward";
        case Phase::init: return "init";
    }
    return "";
}

PeakPhase find_peak_phase(const Timeline& timeline, std::span<const Phase> told, const Steps& steps) {
    PeakPhase peak;
    const std::optional<std::uint32_t> event = event_of_peak(timeline);
    if (!event) return peak;
    peak.in = told[*event];
    const auto step = std::ranges::find_if(
        steps.steps, [&](const TrainingStep& each) { return each.begin_event <= *event && *event < each.end_event; });
    if (step == steps.steps.end()) return peak;
    peak.step = step->name;
    peak.step_words = steps.method == StepMethod::profiler
                          ? step->name
                          : fmt::format("{} {}", step_word(steps.training), step - steps.steps.begin());
    look_around(timeline, told, *step, *event, peak);
    return peak;
}

std::string PeakPhase::words() const {
    std::string text;
    const auto add = [&](const char* link, Phase phase) {
        if (phase != Phase::none) text += fmt::format("{}{} {}", text.empty() ? "" : " and ", link, words_of_phase(phase));
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
