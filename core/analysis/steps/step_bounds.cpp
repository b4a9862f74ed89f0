#include "core/analysis/steps/steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"
#include "core/trace/annotations.h"

namespace snapviewer::steps {
namespace {

// Steps found by repetition: an allocation is made once per step, and the stretches between resemble each other.

constexpr std::size_t k_min_allocs = 16;
constexpr std::size_t k_min_period = 8;  ///< Minimum number of allocs in a period
constexpr std::size_t k_max_period_candidates = 200;
constexpr double k_min_pair_similarity = 0.5;
constexpr double k_min_similarity = 0.7;

/// The allocs of a device as a sequence of symbols. A symbol identifies a size and a stack.
struct AllocText {
    std::vector<std::uint32_t> symbols;
    std::vector<std::vector<std::uint32_t>> places;  ///< Positions of each symbol, ascending, indexed by symbol
    std::vector<StackId> stacks;                     ///< Stack of each symbol
    /// Number of allocs of the backward pass before each alloc, indexed by alloc
    std::vector<std::uint32_t> backward_before;
};

/// The stack of each event. An alloc without a stack gets the stack of its block.
std::vector<StackId> stacks_of_allocs(const DeviceTrace& trace) {
    std::vector<StackId> stacks(trace.events.stack.begin(), trace.events.stack.end());
    for (std::size_t i = 0; i < trace.allocations.size(); ++i) {
        const EventId alloc = trace.allocations.alloc_event[i];
        if (alloc.is_some()) stacks[alloc.value] = trace.allocations.stack[i];
    }
    return stacks;
}

AllocText read_allocs(const StepEvents& events, const StackPhases& stacks) {
    AllocText text;
    const EventColumns& columns = events.trace().events;
    const std::vector<StackId> stack_of = stacks_of_allocs(events.trace());
    std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t, KeyedPairHash> numbers;
    std::uint32_t backward = 0;
    for (const std::uint32_t event : events.allocs()) {
        const auto [known, is_new] = numbers.try_emplace({columns.size_bytes[event], stack_of[event].value},
                                                         static_cast<std::uint32_t>(text.stacks.size()));
        if (is_new) {
            text.stacks.push_back(stack_of[event]);
            text.places.emplace_back();
        }
        text.places[known->second].push_back(static_cast<std::uint32_t>(text.symbols.size()));
        text.symbols.push_back(known->second);
        text.backward_before.push_back(backward);
        if (stacks.phase(columns.stack[event]) == Phase::backward) ++backward;
    }
    text.backward_before.push_back(backward);
    return text;
}

/// Symbols that may be made once per step outside any module, the most frequent first.
std::vector<std::uint32_t> candidates(const AllocText& text, const StackPhases& stacks) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t symbol = 0; symbol < text.places.size(); ++symbol) {
        const std::size_t count = text.places[symbol].size();
        if (count < 2 || count > text.symbols.size() / 8) continue;
        const StackTraits& traits = stacks.traits(text.stacks[symbol]);
        if (traits.has_python && traits.phase == Phase::none) found.push_back(symbol);
    }
    // The sort is stable: symbols are numbered by their first position, which decides between equally frequent ones.
    std::ranges::stable_sort(found, std::greater<>(), [&](std::uint32_t symbol) { return text.places[symbol].size(); });
    found.resize(std::min(found.size(), k_max_period_candidates));
    return found;
}

/// Counts the symbols of a stretch of allocs. Clearing takes as long as filling.
class SymbolCounts {
public:
    explicit SymbolCounts(std::size_t symbols) : counts_(symbols) {}

    void fill(const std::vector<std::uint32_t>& symbols, std::size_t begin, std::size_t end) {
        for (const std::uint32_t symbol : held_) counts_[symbol] = 0;
        held_.clear();
        size_ = end - begin;
        for (std::size_t i = begin; i < end; ++i) {
            if (counts_[symbols[i]]++ == 0) held_.push_back(symbols[i]);
        }
    }

    /// The Jaccard index of two multisets: size of the intersection over size of the union.
    double similarity(const SymbolCounts& other) const {
        std::size_t both = 0;
        for (const std::uint32_t symbol : held_) both += std::min(counts_[symbol], other.counts_[symbol]);
        const std::size_t either = size_ + other.size_ - both;
        return static_cast<double>(both) / static_cast<double>(std::max<std::size_t>(1, either));
    }

private:
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint32_t> held_;
    std::size_t size_ = 0;
};

/// A symbol that may mark the beginning of each step.
struct Anchor {
    const std::vector<std::uint32_t>* places = nullptr;
    std::size_t period = 0;  ///< Usual distance between two occurrences, in allocs
    std::size_t rest = 0;    ///< Number of allocs from the last occurrence to the end
    double similarity = 0;   ///< Mean similarity of neighbouring stretches, from 0 to 1
};

bool is_evenly_spaced(const std::vector<std::uint32_t>& places, std::size_t& period) {
    std::vector<std::uint32_t> gaps;
    for (std::size_t i = 1; i < places.size(); ++i) gaps.push_back(places[i] - places[i - 1]);
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    period = *middle;
    const double usual = *middle;
    const auto is_usual = [usual](std::uint32_t gap) { return std::abs(gap - usual) <= 0.2 * usual; };
    const auto even = static_cast<double>(std::ranges::count_if(gaps, is_usual));
    return period >= k_min_period && even >= 0.8 * static_cast<double>(gaps.size());
}

bool each_stretch_has_backward(const AllocText& text, const std::vector<std::uint32_t>& places) {
    if (text.backward_before.back() == 0) return true;
    for (std::size_t i = 1; i < places.size(); ++i) {
        if (text.backward_before[places[i]] == text.backward_before[places[i - 1]]) return false;
    }
    return true;
}

/// The mean similarity of neighbouring stretches, or nullopt if two of them differ too much.
std::optional<double> mean_similarity(const AllocText& text, const Anchor& anchor, SymbolCounts& one, SymbolCounts& other) {
    std::vector<std::size_t> begins(anchor.places->begin(), anchor.places->end());
    if (static_cast<double>(anchor.rest) >= 0.8 * static_cast<double>(anchor.period)) {
        begins.push_back(std::min(begins.back() + anchor.period, text.symbols.size()));
    }
    if (begins.size() < 3) return std::nullopt;
    SymbolCounts* before = &one;
    SymbolCounts* now = &other;
    before->fill(text.symbols, begins[0], begins[1]);
    double sum = 0;
    for (std::size_t i = 1; i + 1 < begins.size(); ++i) {
        now->fill(text.symbols, begins[i], begins[i + 1]);
        const double alike = before->similarity(*now);
        if (alike < k_min_pair_similarity) return std::nullopt;
        sum += alike;
        std::swap(before, now);
    }
    return sum / static_cast<double>(begins.size() - 2);
}

std::optional<Anchor> best_anchor(const AllocText& text, const StackPhases& stacks) {
    SymbolCounts one(text.places.size());
    SymbolCounts other(text.places.size());
    std::optional<Anchor> best;
    for (const std::uint32_t symbol : candidates(text, stacks)) {
        check_stop();
        const std::vector<std::uint32_t>& places = text.places[symbol];
        if (best && places.size() < best->places->size()) break;
        Anchor anchor{&places, 0, text.symbols.size() - places.back(), 0};
        if (!is_evenly_spaced(places, anchor.period)) continue;
        if (static_cast<double>(anchor.rest) > 1.5 * static_cast<double>(anchor.period)) continue;
        if (!each_stretch_has_backward(text, places)) continue;
        const auto similarity = mean_similarity(text, anchor, one, other);
        if (!similarity || *similarity < k_min_similarity) continue;
        anchor.similarity = *similarity;
        if (!best || anchor.similarity > best->similarity) best = anchor;
    }
    return best;
}

/// The confidence in a period if `covered` of `all` allocs lie in stretches of this similarity.
double confidence_of_period(double similarity, std::size_t covered, std::size_t all) {
    const double share = static_cast<double>(covered) / static_cast<double>(all);
    return std::min(0.7, (0.3 + 0.4 * similarity) * (0.4 + 0.6 * share));
}

}  // namespace

std::optional<Steps> steps_from_period(const StepEvents& events, const StackPhases& stacks) {
    if (events.allocs().size() < k_min_allocs) return std::nullopt;
    const AllocText text = read_allocs(events, stacks);
    const auto anchor = best_anchor(text, stacks);
    if (!anchor) return std::nullopt;

    Steps found{.method = StepMethod::period};
    const std::vector<std::uint32_t>& places = *anchor->places;
    const auto period = static_cast<double>(anchor->period);
    const auto before = static_cast<double>(places.front());
    if (places.front() > 0) {
        const bool is_whole = 0.9 * period <= before && before <= 3 * period && !events.has_unmatched_frees();
        found.steps.push_back({0, events.allocs()[places.front()], is_whole});
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool is_last = i + 1 == places.size();
        const std::uint32_t end = is_last ? events.count() : events.allocs()[places[i + 1]];
        found.steps.push_back(
            {events.allocs()[places[i]], end, !is_last || static_cast<double>(anchor->rest) >= 0.9 * period});
    }
    const std::size_t covered = places.back() + std::min(anchor->period, anchor->rest) - places.front();
    found.confidence = confidence_of_period(anchor->similarity, covered, text.symbols.size());
    found.similarity = rounded(anchor->similarity, 3);
    return found;
}

Steps steps_from_passes(const StepEvents& events, const Repetition& repeats) {
    Steps found{.method = StepMethod::period};
    const std::vector<std::uint32_t>& passes = repeats.pass_events;
    if (events.allocs_in(0, passes.front()) > 0) found.steps.push_back({0, passes.front(), false});
    for (std::size_t i = 0; i + 1 < passes.size(); ++i) found.steps.push_back({passes[i], passes[i + 1], true});
    if (events.allocs_in(passes.back(), events.count()) > 0) found.steps.push_back({passes.back(), events.count(), false});
    found.confidence = confidence_of_period(1, (passes.size() - 1) * repeats.allocations, events.allocs().size());
    found.similarity = 1;
    return found;
}

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
    // Tuples of begin, end, number, and whether the step is complete.
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, bool>> found;
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

}  // namespace snapviewer::steps
