#include "core/timeline/timeline.h"

#include <limits>

#include "core/base/context.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_not_placed = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t k_ticks_between_stop_checks = 4096;
/// A checkpoint stores the live allocations. There is one for every four times as many ticks as it stores ids, so that a
/// tick costs the memory of a quarter of an id, however many allocations are live. With very many live allocations, that
/// distance is too long to replay within a frame, so it is limited at the cost of some memory.
constexpr std::size_t k_min_ticks_between_checkpoints = 256;
constexpr std::size_t k_max_extra_ticks = 1 << 16;
std::size_t ticks_between_checkpoints(std::size_t live) {
    return std::max(k_min_ticks_between_checkpoints, std::min(4 * live, live + k_max_extra_ticks));
}
/// The gap after a cut-off recording, and the end state behind it, each take one step for this many steps of events.
constexpr std::uint64_t k_steps_per_gap_step = 25;

constexpr std::size_t k_group_size = 16;

std::vector<std::uint32_t> group_minima(const std::vector<std::uint32_t>& values) {
    std::vector<std::uint32_t> least;
    least.reserve(values.size() / k_group_size + 1);
    for (std::size_t i = 0; i < values.size(); i += k_group_size) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
        least.push_back(
            *std::min_element(first, first + static_cast<std::ptrdiff_t>(std::min(k_group_size, values.size() - i))));
    }
    return least;
}

}  // namespace

Timeline Timeline::build(std::shared_ptr<const Snapshot> snapshot, std::size_t device_index) {
    std::shared_ptr<const DeviceTrace> trace(snapshot, &snapshot->devices[device_index]);
    return build(std::move(snapshot), std::move(trace));
}

Timeline Timeline::build(std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<const DeviceTrace> trace) {
    Timeline timeline;
    timeline.snapshot_ = std::move(snapshot);
    timeline.trace_ = std::move(trace);
    timeline.lay_out_steps();
    check_stop();
    timeline.lay_out_events();
    check_stop();
    timeline.lay_out_times();
    check_stop();
    return timeline;
}

void Timeline::lay_out_steps() {
    const DeviceTrace& device = trace();
    const std::vector<std::uint64_t>& sizes = device.allocations.size_bytes;
    const auto action_count = static_cast<std::uint32_t>(device.actions.size());
    first_tick_.assign(allocation_count(), k_not_placed);
    last_tick_.assign(allocation_count(), action_count + 1);
    std::vector<std::uint64_t>& tick_step = ticks_->step;
    std::vector<std::uint64_t>& total_after = ticks_->total_bytes;
    tick_step.reserve(action_count + 2U);
    total_after.reserve(action_count + 2U);
    free_ticks_.reserve(action_count / 2);

    LiveList live;
    std::uint64_t total = 0;
    for (std::uint32_t i = 0; i < device.initial_count; ++i) {
        live.push_back(AllocationId{i});
        first_tick_[i] = 0;
        total += sizes[i];
    }
    tick_step.push_back(0);
    total_after.push_back(total);
    add_checkpoint(0, live);
    peak_bytes_ = total;
    max_live_ = live.size();
    path_point_count_ = 2 * allocation_count();

    std::uint64_t step = 0;
    const std::uint32_t seen_ticks = action_count - device.unseen_actions;
    std::uint64_t gap_steps = 0;
    for (std::uint32_t tick = 1; tick <= action_count; ++tick) {
        if (tick % k_ticks_between_stop_checks == 0) {
            report_done(tick, action_count);
            check_stop();
        }
        if (tick == seen_ticks + 1) step += gap_steps = 1 + step / k_steps_per_gap_step;
        const std::uint32_t id = device.actions[tick - 1].value;
        const bool ends = first_tick_[id] != k_not_placed;
        (ends ? last_tick_ : first_tick_)[id] = tick;
        if (ends) {
            const std::size_t above = live.erase(AllocationId{id});
            free_ticks_.push_back(tick);
            const bool takes_a_step = tick <= seen_ticks || above > 0;
            tick_step.push_back(step + (takes_a_step ? 1 : 0));
            step += (takes_a_step ? 1 : 0) + (above > 0 ? k_slide_steps : 0);
            total -= sizes[id];
            path_point_count_ += 2 * above;
        } else {
            live.push_back(AllocationId{id});
            tick_step.push_back(step);
            step += tick <= seen_ticks ? 1 : 0;
            total += sizes[id];
        }
        total_after.push_back(total);
        max_live_ = std::max(max_live_, live.size());
        if (total > peak_bytes_) {
            peak_bytes_ = total;
            peak_tick_ = tick;
        }
        const Checkpoint& last = checkpoints_.back();
        if (tick - last.tick >= ticks_between_checkpoints(live.size())) add_checkpoint(tick, live);
    }
    tick_step.push_back(step + gap_steps);
    total_after.push_back(total);
    if (has_recorded_steps()) {
        std::ranges::copy(device.action_steps, tick_step.begin() + 1);
        tick_step.back() = device.end_step;
    }
    if (has_recorded_paths()) path_point_count_ = device.recorded_paths.points.size();
}

void Timeline::lay_out_events() {
    const DeviceTrace& device = trace();
    const auto event_count = static_cast<std::uint32_t>(device.events.size());
    const auto seen_ticks = static_cast<std::uint32_t>(device.actions.size()) - device.unseen_actions;
    tick_events_.reserve(tick_count());
    tick_events_.push_back(0);
    for (std::uint32_t tick = 1; tick + 1 < tick_count(); ++tick) {
        if (tick % k_ticks_between_stop_checks == 0) check_stop();
        const AllocationId id = allocation_at_tick(tick);
        const EventId event =
            is_free(tick) ? device.allocations.free_event[id.value] : device.allocations.alloc_event[id.value];
        const std::uint32_t without_event = tick > seen_ticks ? event_count : 0;
        tick_events_.push_back(std::max(tick_events_.back(), event.is_some() ? event.value + 1 : without_event));
    }
    tick_events_.push_back(event_count);
}

void Timeline::lay_out_times() {
    const std::vector<std::int64_t>& times = trace().events.time_us;
    const auto first = std::ranges::find_if(times, [](std::int64_t time_us) { return time_us != k_no_time; });
    const std::int64_t recorded_start_us = trace().start_us;
    if (has_recorded_steps() || (first == times.end() && recorded_start_us == k_no_time)) return;
    start_time_us_ = first == times.end() ? recorded_start_us : *first;
    if (recorded_start_us != k_no_time) start_time_us_ = std::min(start_time_us_, recorded_start_us);
    std::vector<std::int64_t>& tick_time_us = ticks_->time_us;
    tick_time_us.reserve(tick_count());
    tick_time_us.push_back(0);
    // A tick without a time of its own gets the time of the previous tick.
    const auto add = [&](std::uint32_t events) {
        const std::int64_t time_us = events > 0 ? times[events - 1] : k_no_time;
        const std::int64_t since_us = time_us == k_no_time ? 0 : time_us - start_time_us_;
        tick_time_us.push_back(std::max(tick_time_us.back(), since_us));
    };
    const auto seen_ticks = static_cast<std::uint32_t>(trace().actions.size()) - trace().unseen_actions;
    std::int64_t gap_us = 0;
    for (std::uint32_t tick = 1; tick < tick_count(); ++tick) {
        if (tick % k_ticks_between_stop_checks == 0) check_stop();
        add(tick_events_[tick]);
        if (tick != seen_ticks + 1 || trace().unseen_actions == 0) continue;
        gap_us = 1 + tick_time_us.back() / static_cast<std::int64_t>(k_steps_per_gap_step);
        tick_time_us.back() += gap_us;
    }
    tick_time_us.back() += gap_us;
    if (trace().end_us != k_no_time) tick_time_us.back() = std::max(tick_time_us.back(), trace().end_us - start_time_us_);
}

void Timeline::add_checkpoint(std::uint32_t tick, const LiveList& live) {
    checkpoints_.push_back({tick, checkpoint_ids_.size(), static_cast<std::uint32_t>(live.size())});
    live.append_to(checkpoint_ids_);
}

AllocationId Timeline::allocation_at_tick(std::uint32_t tick) const {
    return tick == 0 || tick > trace().actions.size() ? AllocationId::none() : trace().actions[tick - 1];
}

bool Timeline::is_free(std::uint32_t tick) const {
    const AllocationId id = allocation_at_tick(tick);
    return id.is_some() && first_tick_[id.value] != tick;
}

std::vector<AllocationId> Timeline::live_after_tick(std::uint32_t tick) const {
    const auto after = std::ranges::upper_bound(checkpoints_, tick, {}, &Checkpoint::tick);
    const Checkpoint& checkpoint = *(after - 1);
    std::vector<AllocationId> live(checkpoint.count + (tick - checkpoint.tick));
    std::size_t count = 0;
    const auto last_action = std::min(tick, static_cast<std::uint32_t>(trace().actions.size()));
    const auto add_if_live = [&](AllocationId id) {  // without a branch, because the processor could not predict it
        live[count] = id;
        count += static_cast<std::size_t>(last_tick_[id.value] > last_action);
    };
    for (const AllocationId id : std::span(checkpoint_ids_).subspan(checkpoint.first, checkpoint.count)) add_if_live(id);
    for (std::uint32_t t = checkpoint.tick + 1; t <= last_action; ++t) {
        if (!is_free(t)) add_if_live(trace().actions[t - 1]);
    }
    live.resize(count);
    return live;
}

std::uint32_t Timeline::tick_at(Axis axis, double x) const {
    const auto last_not_after = [x](const auto& places) {
        const auto after = std::ranges::upper_bound(places, x, {}, [](auto place) { return static_cast<double>(place); });
        return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(after - places.begin() - 1, 0));
    };
    return axis == Axis::steps ? last_not_after(ticks_->step) : last_not_after(ticks_->time_us);
}

std::span<const PathPoint> Timeline::recorded_path(AllocationId id) const {
    const RecordedPaths& paths = trace().recorded_paths;
    const auto begin = static_cast<std::size_t>(id.value == 0 ? 0 : paths.ends[id.value - 1]);
    return {paths.points.data() + begin, static_cast<std::size_t>(paths.ends[id.value]) - begin};
}

double path_height(std::span<const PathPoint> points, std::size_t next, double step) {
    const PathPoint& b = points[std::min(next, points.size() - 1)];
    if (next == 0 || static_cast<double>(b.step) <= step) return static_cast<double>(b.offset_bytes);
    const PathPoint& a = points[next - 1];
    const double share = (step - static_cast<double>(a.step)) / static_cast<double>(b.step - a.step);
    return static_cast<double>(a.offset_bytes) +
           share * (static_cast<double>(b.offset_bytes) - static_cast<double>(a.offset_bytes));
}

std::optional<PlacedAllocation> Timeline::pick(Axis axis, double x, double offset_bytes) const {
    if (axis == Axis::time && !has_times()) return std::nullopt;
    if (x < 0 || x >= place_of_tick(*this, axis, tick_count() - 1) || offset_bytes < 0) return std::nullopt;
    const std::uint32_t tick = tick_at(axis, x);
    const std::vector<AllocationId> live = live_after_tick(tick);
    const std::vector<std::uint64_t>& sizes = trace().allocations.size_bytes;

    if (has_recorded_paths()) {
        for (const AllocationId id : live) {
            const std::span<const PathPoint> points = recorded_path(id);
            const auto next =
                std::ranges::upper_bound(points, x, {}, [](const PathPoint& p) { return static_cast<double>(p.step); });
            const double low = path_height(points, static_cast<std::size_t>(next - points.begin()), x);
            if (offset_bytes >= low && offset_bytes < low + static_cast<double>(sizes[id.value]))
                return PlacedAllocation{id, low};
        }
        return std::nullopt;
    }
    // During a slide, everything above the freed allocation is still lifted by a part of its size.
    AllocationId ended = AllocationId::none();
    double lift_bytes = 0;
    if (axis == Axis::steps && is_free(tick)) {
        const double done = (x - static_cast<double>(ticks_->step[tick])) / static_cast<double>(k_slide_steps);
        ended = allocation_at_tick(tick);
        if (done < 1) lift_bytes = static_cast<double>(sizes[ended.value]) * (1 - done);
    }
    double low = 0;
    for (const AllocationId id : live) {
        const double lifted_low = low + (id > ended && ended.is_some() ? lift_bytes : 0);
        const auto size = static_cast<double>(sizes[id.value]);
        if (offset_bytes < lifted_low) return std::nullopt;
        if (offset_bytes < lifted_low + size) return PlacedAllocation{id, lifted_low};
        low += size;
    }
    return std::nullopt;
}

std::vector<PathPoint> Timeline::path(AllocationId id) const {
    if (has_recorded_paths()) {
        const std::span<const PathPoint> points = recorded_path(id);
        return {points.begin(), points.end()};
    }
    const std::vector<std::uint64_t>& sizes = trace().allocations.size_bytes;
    std::uint64_t low = 0;
    for (const AllocationId below : live_after_tick(first_tick(id))) {
        if (below < id) low += sizes[below.value];
    }
    std::vector<PathPoint> points{{start_step(id), low}};
    const auto during_life = std::ranges::upper_bound(free_ticks_, first_tick(id));
    for (auto tick = during_life; tick != free_ticks_.end() && *tick < last_tick(id); ++tick) {
        const AllocationId freed = allocation_at_tick(*tick);
        if (freed > id) continue;
        points.push_back({step_of_tick(*tick), low});
        low -= sizes[freed.value];
        points.push_back({step_of_tick(*tick) + k_slide_steps, low});
    }
    points.push_back({end_step(id), low});
    return points;
}

AllPaths::AllPaths(const Timeline& timeline) : timeline_(timeline) {
    if (timeline.has_recorded_paths()) return;
    std::vector<std::uint32_t> freed;
    for (std::uint32_t tick = 1; tick + 1 < timeline.tick_count(); ++tick) {
        if (!timeline.is_free(tick)) continue;
        free_ticks_.push_back(tick);
        freed.push_back(timeline.allocation_at_tick(tick).value);
    }
    min_freed_.push_back(std::move(freed));
    while (min_freed_.back().size() > k_group_size) min_freed_.push_back(group_minima(min_freed_.back()));

    std::uint64_t low = 0;
    for (std::uint32_t id = 0; id < timeline.trace().initial_count; ++id) {
        initial_low_bytes_.push_back(low);
        low += timeline.trace().allocations.size_bytes[id];
    }
}

/// Returns the index of the first free at or after index `at` that frees an allocation with an id below `id`, or the number
/// of frees if there is none. O(log frees).
std::size_t AllPaths::next_freed_below(std::size_t at, std::uint32_t id) const {
    std::size_t level = 0;
    while (true) {
        const std::vector<std::uint32_t>& least = min_freed_[level];
        const std::size_t end = std::min(least.size(), (at / k_group_size + 1) * k_group_size);
        while (at < end && least[at] >= id) ++at;
        if (at < end && level == 0) return at;
        if (at < end) {
            --level;
            at *= k_group_size;
        } else if (at == least.size()) {
            return min_freed_.front().size();
        } else {
            ++level;
            at /= k_group_size;
        }
    }
}

void AllPaths::read(AllocationId id, std::vector<PathPoint>& points) const {
    points.clear();
    if (timeline_.has_recorded_paths()) {
        const std::span<const PathPoint> recorded = timeline_.recorded_path(id);
        points.assign(recorded.begin(), recorded.end());
        return;
    }
    const std::vector<std::uint64_t>& sizes = timeline_.trace().allocations.size_bytes;
    const std::uint32_t first_tick = timeline_.first_tick(id);
    // A new allocation is drawn on top of all live ones, so its lower edge is the total before it.
    std::uint64_t low =
        first_tick == 0 ? initial_low_bytes_[id.value] : timeline_.total_after_tick(first_tick) - sizes[id.value];
    points.push_back({timeline_.step_of_tick(first_tick), low});
    const auto during_life = std::ranges::upper_bound(free_ticks_, first_tick);
    auto at = static_cast<std::size_t>(during_life - free_ticks_.begin());
    for (; (at = next_freed_below(at, id.value)) < free_ticks_.size(); ++at) {
        const std::uint32_t tick = free_ticks_[at];
        if (tick >= timeline_.last_tick(id)) break;
        points.push_back({timeline_.step_of_tick(tick), low});
        low -= sizes[min_freed_.front()[at]];
        points.push_back({timeline_.step_of_tick(tick) + Timeline::k_slide_steps, low});
    }
    points.push_back({timeline_.end_step(id), low});
}

namespace {

constexpr std::size_t k_moves_between_looks = std::size_t{1} << 20;

/// Stacks the allocations, action by action, and compares each computed point with the recorded polygons.
class StackOfPolygons {
public:
    explicit StackOfPolygons(const DeviceTrace& trace)
        : trace_(trace), at_(trace.allocations.size()), low_bytes_(trace.allocations.size()) {
        for (std::size_t id = 1; id < at_.size(); ++id) at_[id] = trace.recorded_paths.ends[id - 1];
    }

    bool holds() {
        for (std::uint32_t id = 0; id < trace_.initial_count; ++id) {
            if (!begins(id, 0)) return false;
        }
        std::uint64_t free_from = 0;  // first step after the end of the previous action
        for (std::size_t i = 0; i < trace_.actions.size(); ++i) {
            const std::uint32_t id = trace_.actions[i].value;
            const std::uint64_t step = trace_.action_steps[i];
            if (step < free_from) return false;
            const auto found = std::ranges::lower_bound(live_, id);
            const bool ends_one = found != live_.end() && *found == id;
            if (!(ends_one ? ends(found, step) : begins(id, step))) return false;
            const std::uint64_t end_takes = has_moved_ ? Timeline::k_slide_steps : 0;
            free_from = step + (ends_one ? end_takes : 1);
        }
        // A polygon with remaining points differs from the computed one.
        return free_from <= trace_.end_step &&
               std::ranges::all_of(live_, [&](std::uint32_t id) { return is_next(id, trace_.end_step); }) &&
               std::ranges::equal(at_, trace_.recorded_paths.ends);
    }

private:
    /// Consumes the next point of a polygon. Returns true if it is at `step` and at the allocation's present offset.
    bool is_next(std::uint32_t id, std::uint64_t step) {
        const RecordedPaths& paths = trace_.recorded_paths;
        return at_[id] < paths.ends[id] && paths.points[at_[id]++] == PathPoint{step, low_bytes_[id]};
    }

    bool begins(std::uint32_t id, std::uint64_t step) {
        if (!live_.empty() && live_.back() >= id) return false;
        live_.push_back(id);
        low_bytes_[id] = total_bytes_;
        total_bytes_ += trace_.allocations.size_bytes[id];
        return is_next(id, step);
    }

    bool ends(std::vector<std::uint32_t>::iterator found, std::uint64_t step) {
        const std::uint32_t id = *found;
        const std::uint64_t size_bytes = trace_.allocations.size_bytes[id];
        if (!is_next(id, step)) return false;
        const auto above = live_.erase(found);
        has_moved_ = above != live_.end();
        moves_ += static_cast<std::size_t>(live_.end() - above);
        if (moves_ >= k_moves_between_looks) {
            moves_ = 0;
            check_stop();
        }
        total_bytes_ -= size_bytes;
        return std::all_of(above, live_.end(), [&](std::uint32_t higher) {
            if (!is_next(higher, step)) return false;
            low_bytes_[higher] -= size_bytes;
            return is_next(higher, step + Timeline::k_slide_steps);
        });
    }

    const DeviceTrace& trace_;
    std::vector<std::uint64_t> at_;  ///< index of the next point, by allocation
    std::vector<std::uint64_t> low_bytes_;
    std::vector<std::uint32_t> live_;  ///< live allocations by ascending id, that is, from the bottom up
    std::uint64_t total_bytes_ = 0;
    bool has_moved_ = false;  ///< true if something lay above the allocation that ended last
    std::size_t moves_ = 0;
};

}  // namespace

bool are_stacked(const DeviceTrace& trace) {
    // If no allocation starts or ends, only the polygons show how long the picture is, so they must be kept.
    const bool is_whole = trace.recorded_paths.ends.size() == trace.allocations.size() && !trace.actions.empty() &&
                          trace.action_steps.size() == trace.actions.size();
    return is_whole && StackOfPolygons(trace).holds();
}

}  // namespace snapviewer
