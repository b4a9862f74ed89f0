#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/analysis/steps/step_bounds.h"
#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/number_text.h"

// Steps found by repetition: an allocation is made once per step, and the stretches between resemble each other.
namespace snapviewer {
namespace {

constexpr std::size_t k_min_allocs = 16;
constexpr std::size_t k_min_period = 8;  ///< Minimum number of allocs in a period
constexpr std::size_t k_max_period_candidates = 200;
constexpr double k_min_pair_similarity = 0.5;
constexpr double k_min_similarity = 0.7;

/// The allocs of a device as a sequence of symbols. A symbol stands for a size and a stack.
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

}  // namespace snapviewer
