#include "core/analysis/growth/module_growth.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "core/analysis/growth/growth.h"
#include "core/base/context.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_listed = 20;
constexpr std::size_t k_modules_a_look = 256;

/// Computes the memory of a module at the edges of steps. One object serves many modules and reuses its buffer.
class ModuleFollower {
public:
    ModuleFollower(const Timeline& timeline, const Growth& growth)
        : allocations_(timeline.trace().allocations), growth_(growth), held_(growth.edges.size()) {}

    /// The bytes that a module with these allocations holds at each edge after the warm-up. The span is valid until the next
    /// call.
    std::span<const std::int64_t> held(std::span<const AllocationId> members) {
        std::ranges::fill(held_, 0);
        for (const AllocationId id : members) {
            const auto size_bytes = static_cast<std::int64_t>(allocations_.size_bytes[id.value]);
            const std::size_t first = first_edge(allocations_.alloc_event[id.value], 0);
            const std::size_t end = first_edge(allocations_.free_event[id.value], held_.size());
            if (first >= end) continue;
            held_[first] += size_bytes;
            if (end < held_.size()) held_[end] -= size_bytes;
        }
        for (std::size_t i = 1; i < held_.size(); ++i) held_[i] += held_[i - 1];
        return std::span<const std::int64_t>(held_).subspan(growth_.warmup);
    }

    bool is_left_behind(AllocationId id) const {
        const EventId alloc = allocations_.alloc_event[id.value];
        const EventId free = allocations_.free_event[id.value];
        const bool is_made_there =
            alloc.is_some() && alloc.value >= growth_.edges[growth_.warmup] && alloc.value < growth_.edges.back();
        return is_made_there && (!free.is_some() || free.value >= growth_.edges.back());
    }

private:
    /// Index of the first edge after an event, or `without` if there is no event.
    std::size_t first_edge(EventId event, std::size_t without) const {
        if (!event.is_some()) return without;
        return static_cast<std::size_t>(std::ranges::upper_bound(growth_.edges, event.value) - growth_.edges.begin());
    }

    const AllocationColumns& allocations_;
    const Growth& growth_;
    std::vector<std::int64_t> held_;
};

GrowingModule describe_growing(std::uint32_t module, GrowthState state, std::span<const std::int64_t> held,
                               std::span<const AllocationId> members, const ModuleFollower& follower) {
    GrowingModule row;
    row.module = module;
    row.state = state;
    row.slope = rounded(least_squares_slope(held), 1);
    row.grown_bytes = held.back() - held.front();
    row.changes = held.size() - 1;
    for (std::size_t i = 1; i < held.size(); ++i) {
        if (held[i] > held[i - 1]) ++row.rises;
    }
    for (const AllocationId id : members) {
        if (row.allocations.size() < k_most_listed && follower.is_left_behind(id)) row.allocations.push_back(id);
    }
    return row;
}

/// The allocations of all modules, grouped by module.
struct ModuleMembers {
    explicit ModuleMembers(const Modules& modules) : ends(modules.nodes.size() + 1) {
        for (const ModuleOfAllocation& of : modules.of) {
            if (of.module != k_no_module) ++ends[of.module + 1];
        }
        for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
        all.resize(ends.back());
        std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
        for (std::uint32_t i = 0; i < modules.of.size(); ++i) {
            if (modules.of[i].module != k_no_module) all[next[modules.of[i].module]++] = AllocationId{i};
        }
    }
    std::span<const AllocationId> of(std::uint32_t module) const {
        return std::span(all).subspan(ends[module], ends[module + 1] - ends[module]);
    }

    std::vector<std::size_t> ends;
    std::vector<AllocationId> all;
};

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
        if (row.allocations.size() < k_most_listed && is_between && stays) row.allocations.push_back(id);
    }
    return row;
}

}  // namespace

std::vector<LastingModule> find_lasting_modules(const Timeline& timeline, const Modules& modules) {
    std::vector<LastingModule> found;
    const AllocationColumns& allocations = timeline.trace().allocations;
    if (modules.empty() || timeline.trace().events.size() < 2 * k_windows) return found;
    const ModuleMembers members(modules);
    FloorFollower follower(timeline);
    for (std::uint32_t module = 0; module < modules.nodes.size(); ++module) {
        if (module % k_modules_a_look == 0) check_stop();
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
    const ModuleMembers members(modules);
    ModuleFollower follower(timeline, growth);
    for (std::uint32_t module = 0; module < modules.nodes.size(); ++module) {
        if (module % k_modules_a_look == 0) check_stop();
        if (members.of(module).empty()) continue;
        const auto held = follower.held(members.of(module));
        const auto state = judge_growth(held);
        if (state == GrowthState::leak || state == GrowthState::possible)
            found.push_back(describe_growing(module, *state, held, members.of(module), follower));
    }
    std::ranges::stable_sort(found, std::greater<>(), &GrowingModule::grown_bytes);
    return found;
}

}  // namespace snapviewer
