#include "core/analysis/steps/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/totals.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::steps {
namespace {

constexpr std::size_t k_min_allocations = 16;
constexpr std::size_t k_max_tried_periods = 64;
constexpr std::size_t k_min_repetitions = 3;
constexpr std::size_t k_symbols_between_stop_checks = 1U << 20;

/// The recorded allocs in drawing order, each as a symbol. Allocs with equal size and stack have equal symbols.
struct Sequence {
    std::vector<AllocationId> ids;
    std::vector<std::uint32_t> symbols;
    std::size_t symbol_count = 0;
    std::size_t size() const { return symbols.size(); }
};

Sequence recorded_sequence(const AllocationColumns& allocations) {
    Sequence sequence;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (allocations.origin[i] == Origin::alloc) sequence.ids.push_back(AllocationId{i});
    }
    std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t, KeyedPairHash> numbers;
    for (const AllocationId id : sequence.ids) {
        const std::pair size_and_stack(allocations.size_bytes[id.value], allocations.stack[id.value].value);
        const auto next = static_cast<std::uint32_t>(numbers.size());
        sequence.symbols.push_back(numbers.try_emplace(size_and_stack, next).first->second);
    }
    sequence.symbol_count = numbers.size();
    return sequence;
}

Sequence part_of(const Sequence& sequence, std::size_t begin, std::size_t count) {
    const auto first = static_cast<std::ptrdiff_t>(begin);
    const auto end = static_cast<std::ptrdiff_t>(begin + count);
    return {{sequence.ids.begin() + first, sequence.ids.begin() + end},
            {sequence.symbols.begin() + first, sequence.symbols.begin() + end},
            sequence.symbol_count};
}

/// The most frequent distances between consecutive equal symbols. Of equally frequent distances, the shorter comes first.
std::vector<std::size_t> frequent_distances(const Sequence& sequence) {
    constexpr std::size_t k_never = ~std::size_t{0};
    std::vector<std::size_t> last(sequence.symbol_count, k_never);
    std::vector<std::size_t> counts(sequence.size() / 3 + 1);
    for (std::size_t place = 0; place < sequence.size(); ++place) {
        std::size_t& before = last[sequence.symbols[place]];
        if (before != k_never && place - before < counts.size()) ++counts[place - before];
        before = place;
    }
    std::vector<std::size_t> distances;
    for (std::size_t distance = 1; distance < counts.size(); ++distance) {
        if (counts[distance] > 0) distances.push_back(distance);
    }
    const std::size_t kept = std::min(k_max_tried_periods, distances.size());
    std::ranges::partial_sort(distances, distances.begin() + static_cast<std::ptrdiff_t>(kept), {},
                              [&](std::size_t distance) { return std::pair(~counts[distance], distance); });
    distances.resize(kept);
    return distances;
}

/// A sequence of allocations, each of which equals the one a period later.
struct Run {
    std::size_t period = 0;
    std::size_t begin = 0;
    std::size_t covered = 0;  ///< Number of allocations, including the last period
};

Run longest_run(const Sequence& sequence, std::size_t period) {
    Run best{period, 0, 0};
    std::size_t length = 0;
    for (std::size_t place = 0; place + period < sequence.size(); ++place) {
        if (place % k_symbols_between_stop_checks == 0) check_stop();
        length = sequence.symbols[place] == sequence.symbols[place + period] ? length + 1 : 0;
        if (length > 0 && length + period > best.covered) best = {period, place + 1 - length, length + period};
    }
    return best;
}

std::optional<Run> best_run(const Sequence& sequence) {
    std::optional<Run> best;
    for (const std::size_t period : frequent_distances(sequence)) {
        const Run run = longest_run(sequence, period);
        if (run.covered == 0) continue;
        const bool is_better =
            !best || run.covered > best->covered || (run.covered == best->covered && run.period < best->period);
        if (is_better) best = run;
    }
    return best;
}

NoStepReason why_no_step(const DeviceTrace& trace, const StackPhases& stacks, const EventPhases& phases,
                         std::span<const AllocationId> all, std::span<const AllocationId> repeated) {
    const auto stack = [&](AllocationId id) { return trace.allocations.stack[id.value]; };
    const auto has_stack = [&](AllocationId id) { return stack(id).is_some(); };
    if (std::ranges::none_of(repeated, has_stack)) return NoStepReason::no_stacks;
    const auto is_backward = [&](AllocationId id) {
        return phases.of_alloc(stacks, stack(id), trace.allocations.alloc_event[id.value].value) == Phase::backward;
    };
    if (std::ranges::any_of(all, is_backward) && std::ranges::none_of(repeated, is_backward))
        return NoStepReason::no_backward;
    const auto is_outside = [&](AllocationId id) {
        return has_stack(id) && stacks.traits(stack(id)).has_python && stacks.phase(stack(id)) == Phase::none;
    };
    return std::ranges::any_of(repeated, is_outside) ? NoStepReason::uneven : NoStepReason::inside_module;
}

/// Distinguishes whole passes through a model from the layers of a single pass.
class Passes {
public:
    Passes(const Timeline& timeline, const StackPhases& stacks, const Sequence& sequence, const Run& run)
        : timeline_(timeline), stacks_(stacks), sequence_(sequence), run_(run) {}

    /// Computes Repetition::pass_events.
    std::vector<std::uint32_t> events() const {
        std::size_t place = begin_of_pass();
        const Sequence pass = part_of(sequence_, place, run_.period);
        if (is_within_forward(pass.ids) || !holds_equal_units(pass)) return {};
        std::vector<std::uint32_t> events;
        for (; place + run_.period <= run_.begin + run_.covered; place += run_.period) events.push_back(event(place));
        const bool is_end = place == sequence_.size();
        events.push_back(is_end ? static_cast<std::uint32_t>(timeline_.trace().events.size()) : event(place));
        return events;
    }

private:
    std::uint32_t event(std::size_t place) const {
        return timeline_.trace().allocations.alloc_event[sequence_.ids[place].value].value;
    }

    /// The position in the first period of the run at which, one period later, the least memory is live.
    std::size_t begin_of_pass() const {
        const auto live_bytes = [&](std::size_t place) {
            return timeline_.total_after_tick(tick_of_moment(timeline_, event(place + run_.period)));
        };
        std::size_t best = run_.begin;
        std::uint64_t min_bytes = live_bytes(best);
        for (std::size_t place = best + 1; place < run_.begin + run_.period; ++place) {
            const std::uint64_t bytes = live_bytes(place);
            if (bytes >= min_bytes) continue;
            best = place;
            min_bytes = bytes;
        }
        return best;
    }

    static bool holds_equal_units(const Sequence& pass) {
        return std::ranges::any_of(frequent_distances(pass), [&](std::size_t unit) {
            return longest_run(pass, unit).covered >= k_min_repetitions * unit;
        });
    }

    /// True if one call of a module's forward() makes all of these allocations, or if an allocation lacks the Python stack
    /// that would show it.
    bool is_within_forward(const std::vector<AllocationId>& ids) const {
        const Snapshot& snapshot = timeline_.snapshot();
        std::span<const FrameId> common;  // the outermost frames that all stacks share
        for (const AllocationId id : ids) {
            const StackId stack = timeline_.trace().allocations.stack[id.value];
            if (!stacks_.traits(stack).has_python) return true;
            const std::span<const FrameId> frames = snapshot.stacks.stack(stack);
            if (id == ids.front()) common = frames;
            const auto [shared, other] = std::mismatch(common.rbegin(), common.rend(), frames.rbegin(), frames.rend());
            common = common.last(static_cast<std::size_t>(shared - common.rbegin()));
        }
        return std::ranges::any_of(common, [&](FrameId frame) {
            return is_forward_method(snapshot.strings.view(snapshot.stacks.frame(frame).function));
        });
    }

    const Timeline& timeline_;
    const StackPhases& stacks_;
    const Sequence& sequence_;
    const Run& run_;
};

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

namespace {

struct ReasonTexts {
    const char* name;   ///< identifier for JSON
    const char* words;  ///< text for users
};
/// Name and text of each reason, in the order of NoStepReason.
constexpr std::array<ReasonTexts, 4> k_no_step_reasons = {
    {{"no_stacks", "but they have no stacks that show what they belong to"},
     {"no_backward", "but they contain no backward pass, although the recording has one"},
     {"inside_module", "but all of them come from inside modules or the backward pass, like the layers of a single pass"},
     {"uneven", "but no line outside a module starts each of them regularly"}}};

}  // namespace

const char* no_step_reason_name(NoStepReason reason) { return k_no_step_reasons.at(static_cast<std::size_t>(reason)).name; }
const char* no_step_reason_words(NoStepReason reason) {
    return k_no_step_reasons.at(static_cast<std::size_t>(reason)).words;
}

std::optional<Repetition> find_repetition(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases) {
    if (timeline.trace().events.size() == 0) return std::nullopt;
    const AllocationColumns& allocations = timeline.trace().allocations;
    const Sequence sequence = recorded_sequence(allocations);
    if (sequence.size() < k_min_allocations) return std::nullopt;
    const auto run = best_run(sequence);
    if (!run) return std::nullopt;
    Repetition found;
    found.allocations = run->period;
    found.times = run->covered / run->period;
    if (found.times < k_min_repetitions || 2 * run->covered < sequence.size()) return std::nullopt;
    const auto stretch = std::span(sequence.ids).subspan(run->begin, run->period);
    found.begin_event = allocations.alloc_event[stretch.front().value].value;
    const std::size_t last = run->begin + found.times * run->period - 1;
    found.end_event = allocations.alloc_event[sequence.ids[last].value].value;
    const auto first_with_stack =
        std::ranges::find_if(stretch, [&](AllocationId id) { return allocations.stack[id.value].is_some(); });
    const AllocationId first = first_with_stack == stretch.end() ? stretch.front() : *first_with_stack;
    found.source = stack_source(timeline.snapshot(), allocations.stack[first.value]);
    found.why = why_no_step(timeline.trace(), stacks, phases, sequence.ids, stretch);
    const bool may_be_pass = found.why == NoStepReason::inside_module || found.why == NoStepReason::uneven;
    if (may_be_pass) found.pass_events = Passes(timeline, stacks, sequence, *run).events();
    return found;
}

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
    const char* name;   ///< identifier for JSON
    const char* words;  ///< text for users
};
/// Name and text of each phase, in the order of Phase.
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

}  // namespace snapviewer::steps
