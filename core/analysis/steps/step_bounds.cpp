#include "core/analysis/steps/step_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/context.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/recording_gaps.h"
#include "core/trace/annotations.h"

namespace snapviewer {

std::size_t count_complete(const Steps& steps) {
    return static_cast<std::size_t>(std::ranges::count(steps.steps, true, &TrainingStep::is_complete));
}

void keep_best(std::optional<Steps>& found, std::optional<Steps> next) {
    if (!found || (!has_enough_steps(found) && has_enough_steps(next))) found = std::move(next);
}

StepEvents::StepEvents(const Timeline& timeline) : snapshot_(timeline.snapshot()), trace_(timeline.trace()) {
    const EventColumns& events = trace_.events;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        if (events.action[i] == Action::alloc) allocs_.push_back(i);
    }
    if (!snapshot_.annotations.empty() && std::ranges::find(events.time_us, k_no_time) == events.time_us.end()) {
        latest_us_ = events.time_us;
        for (std::size_t i = 1; i < latest_us_.size(); ++i) latest_us_[i] = std::max(latest_us_[i], latest_us_[i - 1]);
    }
    has_unmatched_frees_ = std::ranges::find(trace_.allocations.origin, Origin::freed) != trace_.allocations.origin.end();
    has_overflowed_ = states_overflow(snapshot_);
}

std::uint32_t StepEvents::at_time(std::int64_t time_us) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(latest_us_, time_us) - latest_us_.begin());
}

std::uint64_t StepEvents::allocs_in(std::uint32_t begin_event, std::uint32_t end_event) const {
    const auto begin = std::ranges::lower_bound(allocs_, begin_event);
    return static_cast<std::uint64_t>(std::lower_bound(begin, allocs_.end(), end_event) - begin);
}

std::optional<Steps> steps_between(const StepEvents& events, const std::vector<std::uint32_t>& marks, StepMethod method,
                                   double confidence) {
    Steps found{.method = method, .confidence = confidence};
    std::vector<std::uint64_t> counts;
    for (std::size_t i = 1; i < marks.size(); ++i) {
        const std::uint64_t count = events.allocs_in(marks[i - 1], marks[i]);
        if (count == 0) continue;
        counts.push_back(count);
        found.steps.push_back({marks[i - 1], marks[i], true});
    }
    if (counts.empty()) return std::nullopt;
    std::ranges::sort(counts);
    const auto typical = static_cast<double>(counts[counts.size() / 2]);
    const auto before = static_cast<double>(events.allocs_in(0, marks.front()));
    if (before > 0) {
        const bool is_like_the_others = 0.9 * typical <= before && before <= 3 * typical;
        found.steps.insert(found.steps.begin(), {0, marks.front(), !events.is_wrapped() && is_like_the_others});
    }
    if (events.allocs_in(marks.back(), events.count()) > 0) found.steps.push_back({marks.back(), events.count(), false});
    return found;
}

// Steps found from named ranges of the profiler, optimizers, data loaders or training loops.

std::vector<NamedRange> named_ranges(const Snapshot& snapshot, std::int32_t device) {
    const auto is_own = [device](const Annotation& each) { return each.device == device; };
    const bool has_own = std::ranges::any_of(snapshot.annotations, is_own);
    std::vector<RangeMark> marks;
    std::vector<std::int64_t> times_us;
    for (const Annotation& annotation : snapshot.annotations) {
        check_stop();
        const std::string_view stage = snapshot.strings.view(annotation.stage);
        if ((has_own && !is_own(annotation)) || (stage != "START" && stage != "END")) continue;
        marks.push_back({annotation.name, stage == "START"});
        times_us.push_back(annotation.time_us);
    }
    std::vector<NamedRange> ranges;
    for (const MarkPair& pair : pair_marks(marks)) {
        const bool has_start = pair.start != MarkPair::k_missing;
        const bool has_end = pair.end != MarkPair::k_missing;
        ranges.push_back({snapshot.strings.view(marks[has_start ? pair.start : pair.end].name),
                          has_start ? times_us[pair.start] : k_no_time, has_end ? times_us[pair.end] : k_no_time});
    }
    return ranges;
}

namespace {

constexpr std::string_view k_profiler_step = "ProfilerStep#";
constexpr std::string_view k_optimizer_step = "Optimizer.step#";

std::optional<std::uint64_t> profiler_step_number(std::string_view name) {
    if (!name.starts_with(k_profiler_step)) return std::nullopt;
    return parse_number<std::uint64_t>(name.substr(k_profiler_step.size()));
}

/// True for "train_step 7", "Iteration", "training batch" or "gstep 7": the name begins with a word for a step, in any case.
bool is_like_a_step(std::string_view name) {
    const std::string lower = lower_case(name);
    std::string_view rest = lower;
    for (const std::string_view word : {"training", "train", "global", "g"}) {
        if (!rest.starts_with(word)) continue;
        rest.remove_prefix(word.size());
        if (rest.starts_with('_') || rest.starts_with(' ')) rest.remove_prefix(1);
        break;
    }
    for (const std::string_view word : {"step", "iteration", "batch"}) {
        if (rest.starts_with(word)) return rest.size() == word.size() || !is_word_character(rest[word.size()]);
    }
    return false;
}

/// The name of a step without its number, such as "gstep" for "gstep 7". Returns other names unchanged.
std::string_view without_step_number(std::string_view name) {
    const std::string_view word = name.substr(0, name.find_last_not_of("0123456789") + 1);
    const std::string_view base = word.substr(0, word.find_last_not_of(" _#") + 1);
    return word.size() < name.size() && is_like_a_step(base) ? base : name;
}

bool is_data_loader(std::string_view name) {
    const std::size_t at = name.find("DataLoader");
    return at != name.npos && name.find("__next__", at + 10) != name.npos;
}

/// A kind of mark from which steps can be found. The table lists the most reliable kind first.
struct MarkKind {
    bool (*matches)(std::string_view name);
    bool counts_at_end;  ///< True if the end of a mark ends a step; otherwise the beginning of a mark begins a step
    double confidence;
};

constexpr std::array k_mark_kinds = {
    MarkKind{[](std::string_view name) { return name.starts_with(k_optimizer_step); }, true, 0.9},
    MarkKind{[](std::string_view name) { return name.starts_with("Optimizer.zero_grad#"); }, false, 0.9},
    MarkKind{is_data_loader, false, 0.7},
    MarkKind{is_like_a_step, false, 0.7},
};

using RangesByName = std::map<std::string_view, std::vector<NamedRange>>;

std::int64_t latest_us(const NamedRange& range) { return range.end_us != k_no_time ? range.end_us : range.start_us; }

/// The ranges whose name lasts longest: among the names of one kind that occur at least twice, the name with the latest
/// mark. Of equally late names, the alphabetically last one.
const std::vector<NamedRange>* longest_lasting(const RangesByName& by_name, const MarkKind& kind) {
    const std::vector<NamedRange>* best = nullptr;
    std::int64_t best_us = 0;
    for (const auto& [name, ranges] : by_name) {
        if (ranges.size() < 2 || !kind.matches(name)) continue;
        const std::int64_t last_us = latest_us(*std::ranges::max_element(ranges, {}, latest_us));
        if (best != nullptr && last_us < best_us) continue;
        best = &ranges;
        best_us = last_us;
    }
    return best;
}

std::vector<std::uint32_t> events_of_marks(const StepEvents& events, const std::vector<NamedRange>& ranges, bool at_end) {
    std::vector<std::uint32_t> marks;
    for (const NamedRange& range : ranges) {
        const std::int64_t wanted_us = at_end ? range.end_us : range.start_us;
        const std::int64_t other_us = range.start_us != k_no_time ? range.start_us : range.end_us;
        marks.push_back(events.at_time(wanted_us != k_no_time ? wanted_us : other_us));
    }
    std::ranges::sort(marks);
    marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
    if (!marks.empty() && marks.front() == 0) marks.erase(marks.begin());
    return marks;
}

}  // namespace

std::optional<Steps> steps_from_profiler(const StepEvents& events) {
    if (!events.has_times()) return std::nullopt;
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, bool>> found;  // begin, end, number, is complete
    for (const NamedRange& range : named_ranges(events.snapshot(), events.trace().device)) {
        const auto number = profiler_step_number(range.name);
        if (!number) continue;
        const bool has_start = range.start_us != k_no_time;
        const bool has_end = range.end_us != k_no_time;
        const std::uint32_t begin = has_start ? events.at_time(range.start_us) : 0;
        const std::uint32_t end = has_end ? events.at_time(range.end_us) : events.count();
        const bool is_cut = !has_start || (range.start_us < events.first_time_us() && events.is_wrapped());
        if (end > begin) found.emplace_back(begin, end, *number, has_end && !is_cut);
    }
    if (found.size() < 2) return std::nullopt;
    std::ranges::sort(found);
    Steps steps{.method = StepMethod::profiler, .confidence = 1};
    for (const auto& [begin, end, number, is_complete] : found)
        steps.steps.push_back({begin, end, is_complete, std::string(k_profiler_step) + std::to_string(number)});
    return steps;
}

std::optional<Steps> steps_from_marks(const StepEvents& events) {
    if (!events.has_times()) return std::nullopt;
    RangesByName by_name;
    for (const NamedRange& range : named_ranges(events.snapshot(), events.trace().device)) {
        check_stop();
        by_name[without_step_number(range.name)].push_back(range);
    }
    std::optional<Steps> found;
    for (const MarkKind& kind : k_mark_kinds) {
        const std::vector<NamedRange>* ranges = longest_lasting(by_name, kind);
        if (ranges == nullptr) continue;
        const std::vector<std::uint32_t> marks = events_of_marks(events, *ranges, kind.counts_at_end);
        if (marks.size() < 2) continue;
        auto steps = steps_between(events, marks, StepMethod::marks, kind.confidence);
        if (steps) steps->mark = without_step_number(ranges->front().name);
        // A range that is named after a step lasts as long as the step, so its end shows that the last step is complete.
        const NamedRange& last = *std::ranges::max_element(*ranges, {}, &NamedRange::start_us);
        const bool is_over = kind.matches == is_like_a_step && last.start_us != k_no_time && last.end_us != k_no_time;
        if (steps && is_over && steps->steps.back().begin_event == marks.back()) steps->steps.back().is_complete = true;
        keep_best(found, std::move(steps));
        if (has_enough_steps(found)) break;
    }
    return found;
}

StepMarks step_marks(const Snapshot& snapshot, const DeviceTrace& trace) {
    StepMarks marks;
    for (const Annotation& annotation : snapshot.annotations) {
        const std::string_view name = snapshot.strings.view(annotation.name);
        const bool marks_a_step = name.starts_with(k_profiler_step) || name.starts_with(k_optimizer_step);
        if (!marks_a_step || snapshot.strings.view(annotation.stage) != "START") continue;
        if (marks.count == 0) marks.first = name;
        const bool is_alike =
            name == marks.first || (name.starts_with(k_profiler_step) && marks.first.starts_with(k_profiler_step));
        if (is_alike) ++marks.count;
    }
    if (marks.count > 0) return marks;
    for (const Track& track : trace.tracks) {
        if (!track.holds_steps || track.ranges.empty()) continue;
        return {track.ranges.front().name, track.ranges.size()};
    }
    return marks;
}

// Steps found from stacks. A step ends where the optimizer's allocations end, or where those of the backward pass end before
// a forward pass.

namespace {

/// A stretch of allocs of one phase that ends a step, and the phases that end the stretch.
struct Burst {
    Phase phase;
    bool ends_at_backward;  ///< True if the backward phase ends the burst; the forward phase always does
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
        if (phase != Phase::forward && !(burst.ends_at_backward && phase == Phase::backward)) continue;
        if (is_in_burst) ends.push_back(after);
        is_in_burst = false;
        after = k_not_yet;
    }
    if (is_in_burst && !ends.empty()) ends.push_back(after == k_not_yet ? events.count() : after);
    return ends;
}

/// The share of the complete steps whose number of events is within 25 % of the median.
double regularity(const Steps& found) {
    std::vector<std::uint32_t> sizes;
    for (const TrainingStep& each : found.steps) {
        if (each.is_complete) sizes.push_back(each.end_event - each.begin_event);
    }
    if (sizes.empty()) return 0;
    std::ranges::sort(sizes);
    const double middle = sizes[sizes.size() / 2];
    const auto is_usual = [middle](std::uint32_t size) { return std::abs(size - middle) <= 0.25 * middle; };
    return static_cast<double>(std::ranges::count_if(sizes, is_usual)) / static_cast<double>(sizes.size());
}

}  // namespace

std::optional<Steps> steps_from_phases(const StepEvents& events, const StackPhases& stacks, const EventPhases& phases) {
    std::optional<Steps> best;
    for (const Burst& burst : k_bursts) {
        const std::vector<std::uint32_t> marks = ends_of_bursts(events, burst, stacks, phases);
        if (marks.size() < 2) continue;
        auto found = steps_between(events, marks, burst.method, burst.confidence);
        if (!found) continue;
        found->confidence += 0.3 * regularity(*found);
        keep_best(best, std::move(found));
        if (has_enough_steps(best)) break;
    }
    return best;
}

}  // namespace snapviewer
