#include "core/analysis/growth/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "core/analysis/stacks/stack_groups.h"
#include "core/base/context.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_listed_allocations = 20;
constexpr std::size_t k_groups_between_looks = 256;
constexpr std::size_t k_most_total_steps = 4096;  ///< Limits memory: every growing stack keeps one total per step
constexpr std::size_t k_most_paired = 512;        ///< Maximum number of totals of which all pairs are compared
/// A possible leak counts as a leak if at least this many similar allocations from before the recording exist.
constexpr std::size_t k_fewest_earlier = 3;

/// Sums of the rises and of the falls between consecutive totals.
struct Changes {
    explicit Changes(std::span<const std::int64_t> held) {
        for (std::size_t i = 1; i < held.size(); ++i) {
            const std::int64_t change = held[i] - held[i - 1];
            ++count;
            if (change > 0) ++rises;
            (change > 0 ? up_bytes : down_bytes) += std::abs(change);
        }
    }
    std::size_t count = 0;
    std::size_t rises = 0;
    std::int64_t up_bytes = 0;
    std::int64_t down_bytes = 0;
};

std::size_t usual_warmup(std::size_t steps) { return steps < 4 ? 0 : steps < 8 ? 1 : 2; }

/// Measures the memory of each group of allocations at the edges of the steps.
class GrowthFinder {
public:
    GrowthFinder(const Timeline& timeline, const StackLines& lines, Growth& growth)
        : lines_(lines),
          allocations_(timeline.trace().allocations),
          growth_(growth),
          held_(growth.edges.size()),
          left_(growth.steps) {
        growth.held.resize(growth.edges.size());
    }

    void follow(const StackGroups::Group& group, std::span<const AllocationId> members) {
        count_bytes(members);
        std::ranges::transform(held_, growth_.held, growth_.held.begin(), std::plus<>());
        std::size_t window = growth_.warmup;
        std::optional<GrowthState> state = judge_growth(std::span(held_).subspan(window));
        const bool nothing_yet = !state || state == GrowthState::settled;
        if (growth_.steps < 4 && nothing_yet && judge_growth(std::span(held_).subspan(1)) == GrowthState::possible) {
            state = GrowthState::possible;
            window = 1;
        }
        if (!state) return;
        GrowthRow row = describe(group, members, *state, window);
        const bool is_suspect = row.state == GrowthState::leak || row.state == GrowthState::possible;
        (is_suspect ? growth_.suspects : growth_.settled).push_back(std::move(row));
    }

private:
    /// Returns the number of edges at or before an event.
    std::size_t edges_until(std::uint32_t event) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(growth_.edges, event) - growth_.edges.begin());
    }
    bool outlives_the_last_step(AllocationId id) const {
        const EventId free = allocations_.free_event[id.value];
        return !free.is_some() || free.value >= growth_.edges.back();
    }
    bool is_made_since(AllocationId id, std::uint32_t event) const {
        const EventId alloc = allocations_.alloc_event[id.value];
        return alloc.is_some() && alloc.value >= event && alloc.value < growth_.edges.back();
    }

    void count_bytes(std::span<const AllocationId> members) {
        std::ranges::fill(held_, 0);
        std::ranges::fill(left_, 0);
        for (const AllocationId id : members) {
            const auto size_bytes = static_cast<std::int64_t>(allocations_.size_bytes[id.value]);
            const EventId alloc = allocations_.alloc_event[id.value];
            const EventId free = allocations_.free_event[id.value];
            const std::size_t first = alloc.is_some() ? edges_until(alloc.value) : 0;
            const std::size_t end = free.is_some() ? edges_until(free.value) : held_.size();
            if (first < end) {
                held_[first] += size_bytes;
                if (end < held_.size()) held_[end] -= size_bytes;
            }
            if (is_made_since(id, growth_.edges.front()) && outlives_the_last_step(id)) left_[first - 1] += size_bytes;
        }
        for (std::size_t i = 1; i < held_.size(); ++i) held_[i] += held_[i - 1];
    }

    /// Returns true if at least k_fewest_earlier allocations from before the recording exist, and at least one of them is as
    /// large as a recorded allocation.
    bool has_earlier_likes(const GrowthRow& row, std::span<const AllocationId> members) const {
        if (row.stack_key == 0 || row.earlier_count < k_fewest_earlier) return false;
        std::vector<std::uint64_t> recorded;
        for (const AllocationId id : members) {
            if (allocations_.origin[id.value] == Origin::alloc) recorded.push_back(allocations_.size_bytes[id.value]);
        }
        std::ranges::sort(recorded);
        return std::ranges::any_of(members, [&](AllocationId id) {
            return allocations_.origin[id.value] == Origin::standing &&
                   std::ranges::binary_search(recorded, allocations_.size_bytes[id.value]);
        });
    }

    GrowthRow describe(const StackGroups::Group& group, std::span<const AllocationId> members, GrowthState state,
                       std::size_t window) const {
        GrowthRow row;
        row.stack_key = group.key;
        row.size_bytes = group.size_bytes;
        row.state = state;
        AllocationId last = members.front();
        for (const AllocationId id : members) {
            if (allocations_.alloc_event[id.value].is_some()) last = id;
            if (allocations_.origin[id.value] == Origin::standing && group.key != 0) {
                ++row.earlier_count;
                row.earlier_bytes += allocations_.size_bytes[id.value];
            }
            const bool is_listed = row.allocations.size() < k_listed_allocations &&
                                   is_made_since(id, growth_.edges[growth_.warmup]) && outlives_the_last_step(id);
            if (is_listed) row.allocations.push_back(id);
        }
        if (group.key != 0) row.stack = allocations_.stack[last.value];
        row.source = group.key != 0 ? lines_.source(row.stack) : fmt::format("(no stack) {} B each", group.size_bytes);
        if (state == GrowthState::possible && has_earlier_likes(row, members)) row.state = GrowthState::leak;

        const std::span<const std::int64_t> judged = std::span(held_).subspan(window);
        const Changes changes(judged);
        row.slope = rounded(least_squares_slope(judged), 1);
        row.robust_slope = rounded(theil_sen_slope(judged), 1);
        row.grown_bytes = judged.back() - judged.front();
        row.rises = changes.rises;
        row.changes = changes.count;
        if (changes.up_bytes > 0) {
            const double fallen = static_cast<double>(changes.down_bytes) / static_cast<double>(changes.up_bytes);
            row.monotone = rounded(1 - fallen, 3);
        }
        row.held = held_;
        row.left_by_generation = left_;
        return row;
    }

    const StackLines& lines_;
    const AllocationColumns& allocations_;
    Growth& growth_;
    std::vector<std::int64_t> held_;
    std::vector<std::int64_t> left_;
};

void sort_rows(std::vector<GrowthRow>& rows) {
    std::ranges::sort(rows, [](const GrowthRow& a, const GrowthRow& b) {
        return std::tie(b.grown_bytes, a.source, a.stack_key) < std::tie(a.grown_bytes, b.source, b.stack_key);
    });
}

}  // namespace

const char* growth_state_name(GrowthState state) {
    switch (state) {
        case GrowthState::leak: return "leak";
        case GrowthState::possible: return "possible";
        case GrowthState::settled: return "settled";
        case GrowthState::fluctuating: return "fluctuating";
    }
    return "";
}

std::optional<GrowthState> judge_growth(std::span<const std::int64_t> held) {
    const Changes changes(held);
    if (changes.count == 0 || held.back() - held.front() < k_least_growth_bytes) return std::nullopt;
    if (static_cast<double>(changes.down_bytes) > 0.05 * static_cast<double>(changes.up_bytes))
        return GrowthState::fluctuating;
    const auto total = static_cast<double>(held.back() - held.front());
    const std::size_t third = std::max<std::size_t>(1, changes.count / 3);
    const auto of_last_third = static_cast<double>(held.back() - held[held.size() - 1 - third]);
    const double mean_of_a_third = total / static_cast<double>(changes.count) * static_cast<double>(third);
    if (of_last_third < 0.5 * mean_of_a_third) return GrowthState::settled;
    if (changes.rises >= 3) return GrowthState::leak;
    return changes.rises >= 2 ? GrowthState::possible : GrowthState::settled;
}

double least_squares_slope(std::span<const std::int64_t> held) {
    if (held.size() < 2) return 0;
    const auto count = static_cast<double>(held.size());
    const double mean_x = (count - 1) / 2;
    double sum = 0;
    for (const std::int64_t value : held) sum += static_cast<double>(value);
    const double mean_y = sum / count;
    double above = 0;
    double below = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
        const double x = static_cast<double>(i) - mean_x;
        above += x * (static_cast<double>(held[i]) - mean_y);
        below += x * x;
    }
    return above / below;
}

double theil_sen_slope(std::span<const std::int64_t> all) {
    const std::size_t apart = (all.size() + k_most_paired - 1) / k_most_paired;
    std::vector<std::int64_t> held;
    for (std::size_t i = 0; i < all.size(); i += apart) held.push_back(all[i]);
    std::vector<double> slopes;
    slopes.reserve(held.size() * held.size() / 2);
    for (std::size_t i = 0; i < held.size(); ++i) {
        for (std::size_t j = i + 1; j < held.size(); ++j) {
            slopes.push_back(static_cast<double>(held[j] - held[i]) / static_cast<double>((j - i) * apart));
        }
    }
    if (slopes.empty()) return 0;
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
    std::nth_element(slopes.begin(), middle, slopes.end());
    if (slopes.size() % 2 == 1) return *middle;
    return (*std::max_element(slopes.begin(), middle) + *middle) / 2;
}

bool has_leak(const Growth& growth) {
    return std::ranges::find(growth.suspects, GrowthState::leak, &GrowthRow::state) != growth.suspects.end();
}

Growth find_growth(const Timeline& timeline, const StackLines& lines, const Steps& steps,
                   std::optional<std::size_t> warmup) {
    Growth growth;
    std::span<const TrainingStep> used = longest_complete_run(steps);
    if (used.size() > k_most_total_steps) used = used.last(k_most_total_steps);
    growth.training = steps.training;
    growth.steps = used.size();
    growth.reason = steps.reason;
    if (used.size() < 2) {
        if (growth.reason.empty()) growth.reason = "fewer than two complete steps in a row";
        return growth;
    }
    growth.warmup = std::min(warmup.value_or(usual_warmup(used.size())), used.size() - 2);
    growth.edges.push_back(used.front().begin_event);
    for (const TrainingStep& step : used) growth.edges.push_back(step.end_event);

    const StackGroups groups(timeline, lines);
    GrowthFinder finder(timeline, lines, growth);
    std::size_t done = 0;
    for (const StackGroups::Group& group : groups.groups()) {
        if (done++ % k_groups_between_looks == 0) check_stop();
        finder.follow(group, groups.members(group));
    }
    sort_rows(growth.suspects);
    sort_rows(growth.settled);
    const std::span<const std::int64_t> window = std::span(growth.held).subspan(growth.warmup);
    growth.slope = rounded(least_squares_slope(window), 1);
    growth.grown_bytes = window.back() - window.front();
    return growth;
}

std::vector<AllocationId> allocations_of(const DeviceTrace& trace, const StackLines& lines, const GrowthRow& row) {
    std::vector<AllocationId> made;
    for (std::uint32_t i = 0; i < trace.allocations.size(); ++i) {
        const std::uint64_t key = lines.key(allocating_stack(trace, AllocationId{i}));
        if (key == row.stack_key && (key != 0 || trace.allocations.size_bytes[i] == row.size_bytes))
            made.push_back(AllocationId{i});
    }
    return made;
}

std::string warmup_words(std::size_t warmup) {
    if (warmup == 0) return "";
    if (warmup == 1) return ", of which the first does not count";
    return fmt::format(", of which the first {} do not count", warmup);
}

namespace {

constexpr double k_least_lasting_bytes = 8 << 20;
constexpr double k_least_rising_pairs = 0.9;
constexpr double k_above_scatter = 4;

}  // namespace

double middle_number(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double middle_slope(const WindowFloors& floors) {
    std::vector<double> slopes;
    for (std::size_t a = 0; a < k_windows; ++a) {
        for (std::size_t b = a + 1; b < k_windows; ++b)
            slopes.push_back((static_cast<double>(floors.bytes[b]) - static_cast<double>(floors.bytes[a])) /
                             (floors.place[b] - floors.place[a]));
    }
    return middle_number(std::move(slopes));
}

std::optional<double> lasting_slope(const WindowFloors& floors) {
    const double slope = middle_slope(floors);
    std::size_t pairs = 0, rising = 0;
    for (std::size_t a = 0; a < k_windows; ++a) {
        for (std::size_t b = a + 1; b < k_windows; ++b, ++pairs) rising += floors.bytes[b] > floors.bytes[a] ? 1U : 0U;
    }
    std::vector<double> above_line;
    for (std::size_t i = 0; i < k_windows; ++i)
        above_line.push_back(static_cast<double>(floors.bytes[i]) - slope * (floors.place[i] - floors.place[0]));
    const double line_begins = middle_number(above_line);
    for (double& off : above_line) off = std::abs(off - line_begins);
    const double grown_bytes = slope * (floors.place.back() - floors.place.front());
    const bool lasts = static_cast<double>(rising) >= k_least_rising_pairs * static_cast<double>(pairs) &&
                       grown_bytes >= k_least_lasting_bytes && grown_bytes >= k_above_scatter * middle_number(above_line);
    return lasts ? std::optional(slope) : std::nullopt;
}

}  // namespace snapviewer
