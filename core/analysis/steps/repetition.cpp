#include "core/analysis/steps/repetition.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/timeline/totals.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
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

}  // namespace

namespace {

struct ReasonTexts {
    const char* name;   ///< for JSON
    const char* words;  ///< for users
};
/// In the order of NoStepReason.
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

}  // namespace snapviewer
