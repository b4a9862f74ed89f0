#include "core/analysis/growth/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/analysis/stacks/stack_groups.h"
#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace snapviewer::growth {
namespace {

constexpr std::int64_t k_min_growth_bytes = 4096;
constexpr std::size_t k_max_listed_allocations = 20;
constexpr std::size_t k_groups_between_stop_checks = 256;
constexpr std::size_t k_max_total_steps = 4096;   ///< Limits memory: every growing stack keeps one total per step
constexpr std::size_t k_max_paired_totals = 512;  ///< Maximum number of totals of which all pairs are compared
/// A possible leak counts as a leak if at least this many similar allocations from before the recording exist.
constexpr std::size_t k_min_earlier = 3;
constexpr std::uint32_t k_no_group = k_no_module;

/// The allocations of each group. Groups are numbered from 0.
class GroupMembers {
public:
    /// `group_of(i)` is the group of the i-th of `count` allocations, or k_no_group.
    GroupMembers(std::size_t count, std::size_t group_count, const auto& group_of) : ends_(group_count + 1) {
        for (std::size_t i = 0; i < count; ++i) {
            if (group_of(i) != k_no_group) ++ends_[group_of(i) + 1];
        }
        std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
        all_.resize(ends_.back());
        std::vector<std::uint32_t> next(ends_.begin(), ends_.end() - 1);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (group_of(i) != k_no_group) all_[next[group_of(i)]++] = AllocationId{i};
        }
    }
    /// The allocations of a group, in drawing order.
    std::span<const AllocationId> of(std::size_t group) const {
        return std::span(all_).subspan(ends_[group], ends_[group + 1] - ends_[group]);
    }

private:
    std::vector<std::uint32_t> ends_;
    std::vector<AllocationId> all_;
};

GroupMembers members_of_modules(const Modules& modules) {
    return {modules.of.size(), modules.nodes.size(), [&](std::size_t i) { return modules.of[i].module; }};
}

/// The allocations of a device, grouped by the key of their stacks. Allocations without a stack are grouped by size. An
/// allocation from before the recording that is known only by its free has no stack of its own.
struct StackGroups {
    struct Group {
        std::uint64_t key = 0;         ///< Result of StackLines::key(), or 0 without a stack
        std::uint64_t size_bytes = 0;  ///< Size of each allocation if `key` is 0, otherwise 0
    };
    std::vector<Group> groups;
    std::vector<std::uint32_t> group_of;  ///< Group of each allocation

    StackGroups(const Timeline& timeline, const StackLines& lines) {
        const DeviceTrace& trace = timeline.trace();
        std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> group_of_key;
        std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> group_of_size;
        std::vector<std::uint32_t> group_of_stack(timeline.snapshot().stacks.stack_count(), k_no_group);
        const auto group_in = [&](auto& known, std::uint64_t value, const Group& fresh) {
            const auto [found, is_new] = known.try_emplace(value, static_cast<std::uint32_t>(groups.size()));
            if (is_new) groups.push_back(fresh);
            return found->second;
        };
        for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
            const StackId stack = stacks::allocating_stack(trace, AllocationId{i});
            if (!stack.is_some()) {
                const std::uint64_t size_bytes = trace.allocations.size_bytes[i];
                group_of.push_back(group_in(group_of_size, size_bytes, {0, size_bytes}));
                continue;
            }
            std::uint32_t& group = group_of_stack[stack.value];
            if (group == k_no_group) group = group_in(group_of_key, lines.key(stack), {lines.key(stack), 0});
            group_of.push_back(group);
        }
    }
};

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

/// Measures sets of allocations at the edges of steps. One object serves many sets and reuses its buffer.
class EdgeMeter {
public:
    EdgeMeter(const Timeline& timeline, const Growth& growth)
        : allocations(timeline.trace().allocations), growth_(growth), held_(growth.edges.size()) {}

    /// The live bytes of some allocations at each edge. Valid until the next call.
    std::span<const std::int64_t> held(std::span<const AllocationId> members) {
        std::ranges::fill(held_, 0);
        for (const AllocationId id : members) {
            const auto size_bytes = static_cast<std::int64_t>(allocations.size_bytes[id.value]);
            const EventId free = allocations.free_event[id.value];
            const std::size_t first = first_edge(id);
            const std::size_t end = free.is_some() ? edges_until(free) : held_.size();
            if (first >= end) continue;
            held_[first] += size_bytes;
            if (end < held_.size()) held_[end] -= size_bytes;
        }
        std::partial_sum(held_.begin(), held_.end(), held_.begin());
        return held_;
    }

    /// The bytes that were allocated in each step and outlive the last step.
    std::vector<std::int64_t> left_by_generation(std::span<const AllocationId> members) const {
        std::vector<std::int64_t> left(growth_.steps);
        for (const AllocationId id : members) {
            if (is_left(id, 0)) left[first_edge(id) - 1] += static_cast<std::int64_t>(allocations.size_bytes[id.value]);
        }
        return left;
    }

    /// The first 20 allocations that were made after the warm-up steps and outlive the last step.
    std::vector<AllocationId> listed(std::span<const AllocationId> members) const {
        std::vector<AllocationId> listed;
        for (const AllocationId id : members) {
            if (listed.size() < k_max_listed_allocations && is_left(id, growth_.warmup)) listed.push_back(id);
        }
        return listed;
    }

    const AllocationColumns& allocations;

private:
    /// Returns the number of edges at or before an event.
    std::size_t edges_until(EventId event) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(growth_.edges, event.value) - growth_.edges.begin());
    }
    std::size_t first_edge(AllocationId id) const {
        const EventId alloc = allocations.alloc_event[id.value];
        return alloc.is_some() ? edges_until(alloc) : 0;
    }
    /// True if an allocation was made after an edge, before the last one, and outlives the last step.
    bool is_left(AllocationId id, std::size_t edge) const {
        const EventId alloc = allocations.alloc_event[id.value];
        const EventId free = allocations.free_event[id.value];
        return alloc.is_some() && alloc.value >= growth_.edges[edge] && alloc.value < growth_.edges.back() &&
               (!free.is_some() || free.value >= growth_.edges.back());
    }

    const Growth& growth_;
    std::vector<std::int64_t> held_;
};

/// Judges the growth of each group of allocations.
class GrowthFinder {
public:
    GrowthFinder(const Timeline& timeline, const StackLines& lines, Growth& growth)
        : lines_(lines), growth_(growth), meter_(timeline, growth) {
        growth.held.resize(growth.edges.size());
    }

    void follow(const StackGroups::Group& group, std::span<const AllocationId> members) {
        const std::span<const std::int64_t> held = meter_.held(members);
        std::ranges::transform(held, growth_.held, growth_.held.begin(), std::plus<>());
        std::size_t window = growth_.warmup;
        std::optional<GrowthState> state = judge_growth(held.subspan(window));
        const bool nothing_yet = !state || state == GrowthState::settled;
        if (growth_.steps < 4 && nothing_yet && judge_growth(held.subspan(1)) == GrowthState::possible) {
            state = GrowthState::possible;
            window = 1;
        }
        if (!state) return;
        GrowthRow row = describe(group, members, held, *state, window);
        const bool is_suspect = row.state == GrowthState::leak || row.state == GrowthState::possible;
        (is_suspect ? growth_.suspects : growth_.settled).push_back(std::move(row));
    }

private:
    /// Returns true if at least k_min_earlier allocations from before the recording exist, and at least one of them is as
    /// large as a recorded allocation.
    bool has_earlier_likes(const GrowthRow& row, std::span<const AllocationId> members) const {
        if (row.stack_key == 0 || row.earlier_count < k_min_earlier) return false;
        std::vector<std::uint64_t> recorded;
        for (const AllocationId id : members) {
            if (meter_.allocations.origin[id.value] == Origin::alloc)
                recorded.push_back(meter_.allocations.size_bytes[id.value]);
        }
        std::ranges::sort(recorded);
        return std::ranges::any_of(members, [&](AllocationId id) {
            return meter_.allocations.origin[id.value] == Origin::standing &&
                   std::ranges::binary_search(recorded, meter_.allocations.size_bytes[id.value]);
        });
    }

    GrowthRow describe(const StackGroups::Group& group, std::span<const AllocationId> members,
                       std::span<const std::int64_t> held, GrowthState state, std::size_t window) const {
        const AllocationColumns& allocations = meter_.allocations;
        GrowthRow row;
        row.stack_key = group.key;
        row.size_bytes = group.size_bytes;
        row.state = state;
        AllocationId last = members.front();
        for (const AllocationId id : members) {
            if (allocations.alloc_event[id.value].is_some()) last = id;
            if (allocations.origin[id.value] == Origin::standing && group.key != 0) {
                ++row.earlier_count;
                row.earlier_bytes += allocations.size_bytes[id.value];
            }
        }
        if (group.key != 0) row.stack = allocations.stack[last.value];
        row.source = group.key != 0 ? lines_.source(row.stack) : fmt::format("(no stack) {} B each", group.size_bytes);
        if (state == GrowthState::possible && has_earlier_likes(row, members)) row.state = GrowthState::leak;

        const std::span<const std::int64_t> judged = held.subspan(window);
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
        row.held.assign(held.begin(), held.end());
        row.left_by_generation = meter_.left_by_generation(members);
        row.allocations = meter_.listed(members);
        return row;
    }

    const StackLines& lines_;
    Growth& growth_;
    EdgeMeter meter_;
};

void sort_rows(std::vector<GrowthRow>& rows) {
    std::ranges::sort(rows, [](const GrowthRow& a, const GrowthRow& b) {
        return std::tie(b.grown_bytes, a.source, a.stack_key) < std::tie(a.grown_bytes, b.source, b.stack_key);
    });
}

}  // namespace

const char* growth_state_name(GrowthState state) {
    constexpr std::array k_names = {"leak", "possible", "settled", "fluctuating"};
    return k_names.at(static_cast<std::size_t>(state));
}

std::optional<GrowthState> judge_growth(std::span<const std::int64_t> held) {
    const Changes changes(held);
    if (changes.count == 0 || held.back() - held.front() < k_min_growth_bytes) return std::nullopt;
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
    const std::size_t apart = (all.size() + k_max_paired_totals - 1) / k_max_paired_totals;
    std::vector<std::int64_t> held;
    for (std::size_t i = 0; i < all.size(); i += apart) held.push_back(all[i]);
    std::vector<double> slopes;
    slopes.reserve(held.size() * held.size() / 2);
    for (std::size_t i = 0; i < held.size(); ++i) {
        for (std::size_t j = i + 1; j < held.size(); ++j) {
            slopes.push_back(static_cast<double>(held[j] - held[i]) / static_cast<double>((j - i) * apart));
        }
    }
    return slopes.empty() ? 0 : middle_number(std::move(slopes));
}

bool has_leak(const Growth& growth) {
    return std::ranges::find(growth.suspects, GrowthState::leak, &GrowthRow::state) != growth.suspects.end();
}

Growth find_growth(const Timeline& timeline, const StackLines& lines, const steps::Steps& steps,
                   std::optional<std::size_t> warmup) {
    Growth growth;
    std::span<const steps::TrainingStep> used = steps::longest_complete_run(steps);
    if (used.size() > k_max_total_steps) used = used.last(k_max_total_steps);
    growth.training = steps.training;
    growth.steps = used.size();
    growth.reason = steps.reason;
    if (used.size() < 2) {
        if (growth.reason.empty()) growth.reason = "fewer than two complete steps in a row";
        return growth;
    }
    growth.warmup = std::min(warmup.value_or(usual_warmup(used.size())), used.size() - 2);
    growth.edges.push_back(used.front().begin_event);
    for (const steps::TrainingStep& step : used) growth.edges.push_back(step.end_event);

    const StackGroups groups(timeline, lines);
    GrowthFinder finder(timeline, lines, growth);
    const GroupMembers members(groups.group_of.size(), groups.groups.size(),
                               [&](std::size_t i) { return groups.group_of[i]; });
    for (std::size_t i = 0; i < groups.groups.size(); ++i) {
        if (i % k_groups_between_stop_checks == 0) check_stop();
        finder.follow(groups.groups[i], members.of(i));
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
        const std::uint64_t key = lines.key(stacks::allocating_stack(trace, AllocationId{i}));
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

constexpr double k_min_lasting_bytes = 8 << 20;
constexpr double k_min_rising_pairs = 0.9;
constexpr double k_min_scatter_factor = 4;

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
    const bool lasts = static_cast<double>(rising) >= k_min_rising_pairs * static_cast<double>(pairs) &&
                       grown_bytes >= k_min_lasting_bytes && grown_bytes >= k_min_scatter_factor * middle_number(above_line);
    return lasts ? std::optional(slope) : std::nullopt;
}

namespace {

/// The minimum bytes of a module in each eighth of the recording, with the event before which it held them.
struct ModuleFloors {
    WindowFloors floors;
    std::array<std::uint32_t, k_windows> edges = {};
};

/// Computes the minima of a module over all events. One object serves many modules and reuses its buffer.
class FloorFollower {
public:
    explicit FloorFollower(const Timeline& timeline)
        : allocations_(timeline.trace().allocations), events_(static_cast<std::uint32_t>(timeline.trace().events.size())) {}

    ModuleFloors floors(std::span<const AllocationId> members) {
        std::int64_t held = 0;
        changes_.clear();
        for (const AllocationId id : members) {
            const auto size = static_cast<std::int64_t>(allocations_.size_bytes[id.value]);
            const EventId alloc = allocations_.alloc_event[id.value];
            const EventId free = allocations_.free_event[id.value];
            if (alloc.is_some())
                changes_.emplace_back(alloc.value, size);
            else
                held += size;
            if (free.is_some()) changes_.emplace_back(free.value, -size);
        }
        std::ranges::sort(changes_);
        ModuleFloors out;
        std::size_t next = 0;
        for (std::size_t window = 0; window < k_windows; ++window) {
            const std::uint32_t begin = begin_of(window);
            const std::uint32_t end = begin_of(window + 1);
            out.floors.place[window] = (static_cast<double>(begin) + static_cast<double>(end)) / 2;
            for (; next < changes_.size() && changes_[next].first < begin; ++next) held += changes_[next].second;
            std::int64_t least = held;
            out.edges[window] = begin;
            for (; next < changes_.size() && changes_[next].first + 1 < end; ++next) {
                held += changes_[next].second;
                if (held >= least) continue;
                least = held;
                out.edges[window] = changes_[next].first + 1;
            }
            out.floors.bytes[window] = static_cast<std::uint64_t>(std::max<std::int64_t>(least, 0));
        }
        return out;
    }

private:
    std::uint32_t begin_of(std::size_t window) const {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(events_) * window / k_windows);
    }

    const AllocationColumns& allocations_;
    std::uint32_t events_;
    std::vector<std::pair<std::uint32_t, std::int64_t>> changes_;  ///< Pairs of event number and change in bytes
};

LastingModule describe_lasting(std::uint32_t module, const ModuleFloors& found, std::span<const AllocationId> members,
                               const AllocationColumns& allocations) {
    LastingModule row{module, found.floors.bytes.front(), found.floors.bytes.back(), found.edges.front(), found.edges.back(),
                      {}};
    for (const AllocationId id : members) {
        const EventId alloc = allocations.alloc_event[id.value];
        const EventId free = allocations.free_event[id.value];
        const bool is_between = alloc.is_some() && alloc.value >= row.from_edge && alloc.value < row.to_edge;
        const bool stays = !free.is_some() || free.value >= row.to_edge;
        if (row.allocations.size() < k_max_listed_allocations && is_between && stays) row.allocations.push_back(id);
    }
    return row;
}

}  // namespace

std::vector<LastingModule> find_lasting_modules(const Timeline& timeline, const Modules& modules) {
    std::vector<LastingModule> found;
    const AllocationColumns& allocations = timeline.trace().allocations;
    if (modules.empty() || timeline.trace().events.size() < 2 * k_windows) return found;
    const GroupMembers members = members_of_modules(modules);
    FloorFollower follower(timeline);
    for (std::uint32_t module = 0; module < modules.nodes.size(); ++module) {
        if (module % k_groups_between_stop_checks == 0) check_stop();
        if (members.of(module).empty()) continue;
        const ModuleFloors floors = follower.floors(members.of(module));
        const auto& held = floors.floors.bytes;
        if (lasting_slope(floors.floors) && held.back() > held.front())
            found.push_back(describe_lasting(module, floors, members.of(module), allocations));
    }
    std::ranges::stable_sort(found, std::greater<>(),
                             [](const LastingModule& row) { return row.to_bytes - row.from_bytes; });
    return found;
}

std::vector<GrowingModule> find_growing_modules(const Timeline& timeline, const Modules& modules, const Growth& growth) {
    std::vector<GrowingModule> found;
    if (modules.empty() || growth.edges.empty()) return found;
    const GroupMembers members = members_of_modules(modules);
    EdgeMeter meter(timeline, growth);
    for (std::uint32_t module = 0; module < modules.nodes.size(); ++module) {
        if (module % k_groups_between_stop_checks == 0) check_stop();
        if (members.of(module).empty()) continue;
        const auto held = meter.held(members.of(module)).subspan(growth.warmup);
        const auto state = judge_growth(held);
        if (state != GrowthState::leak && state != GrowthState::possible) continue;
        const Changes changes(held);
        found.push_back({module, *state, rounded(least_squares_slope(held), 1), held.back() - held.front(), changes.rises,
                         changes.count, meter.listed(members.of(module))});
    }
    std::ranges::stable_sort(found, std::greater<>(), &GrowingModule::grown_bytes);
    return found;
}

}  // namespace snapviewer::growth
