#include "core/query/derived.h"
#include "core/base/context.h"

#include <algorithm>
#include <tuple>

namespace snapviewer {
namespace {

/// Finds the holes of a segment. Adjacent free blocks form one hole.
Holes holes_in(const Snapshot& snapshot, const Segment& segment) {
    Holes holes;
    std::uint64_t run_bytes = 0;
    const auto end_run = [&] {
        if (run_bytes == 0) return;
        holes.total_bytes += run_bytes;
        holes.largest_bytes = std::max(holes.largest_bytes, run_bytes);
        ++holes.count;
        run_bytes = 0;
    };
    for (std::uint32_t i = 0; i < segment.block_count; ++i) {
        const Block& block = snapshot.blocks[segment.first_block + i];
        if (block.state == BlockState::inactive) {
            run_bytes += block.size_bytes;
        } else {
            end_run();
        }
    }
    end_run();
    return holes;
}

std::optional<std::int64_t> step_at(const AxisPlaces& places, std::int64_t time_us) {
    if (time_us == k_no_time) return std::nullopt;
    return static_cast<std::int64_t>(places.step_of_next_action(time_us));
}

}  // namespace

DerivedRows::DerivedRows(std::shared_ptr<const Snapshot> snapshot, std::vector<std::shared_ptr<const Timeline>> timelines)
    : snapshot_(std::move(snapshot)), timelines_(std::move(timelines)), reserved_(timelines_.size()) {}

const std::optional<ReservedHistory>& DerivedRows::reserved_of(std::size_t device_index) {
    auto& history = reserved_[device_index];
    if (!history) history = reserved_history(*snapshot_, timelines_[device_index]->trace());
    return *history;
}

std::optional<std::int64_t> DerivedRows::reserved(std::size_t device_index, std::uint32_t tick) {
    const std::optional<ReservedHistory>& history = reserved_of(device_index);
    const Timeline& timeline = *timelines_[device_index];
    if (!history) {
        const bool is_end = tick + 1 == timeline.tick_count();
        const auto at_end = is_end ? reserved_at_end(*snapshot_, timeline.trace()) : std::nullopt;
        return at_end ? std::optional(static_cast<std::int64_t>(*at_end)) : std::nullopt;
    }
    return static_cast<std::int64_t>(history->after_events(timeline.tick_events()[tick]));
}

void DerivedRows::find_landmarks_of_all() {
    if (markers_) return;
    markers_.emplace();
    for (std::size_t i = 0; i < timelines_.size(); ++i) {
        const std::optional<ReservedHistory>& history = reserved_of(i);
        Landmarks found = find_landmarks(*timelines_[i], AxisPlaces(*timelines_[i]), history ? &*history : nullptr);
        for (Marker& marker : found.markers) markers_->push_back({i, std::move(marker)});
        capacities_.push_back(found.levels.empty() ? std::nullopt
                                                   : std::optional(static_cast<std::int64_t>(found.levels.front().bytes)));
    }
}

const std::vector<DerivedRows::MarkerRow>& DerivedRows::markers() {
    find_landmarks_of_all();
    return *markers_;
}

std::optional<std::int64_t> DerivedRows::capacity(std::size_t device_index) {
    find_landmarks_of_all();
    return capacities_[device_index];
}

const std::vector<DerivedRows::RangeRow>& DerivedRows::ranges() {
    if (ranges_) return *ranges_;
    ranges_.emplace();
    for (const AnnotationRange& range : annotation_ranges(*snapshot_)) {
        RangeRow& row = ranges_->emplace_back();
        row.range = range;
        const auto timeline = std::ranges::find_if(
            timelines_, [&](const auto& each) { return each->trace().device == range.device && each->has_times(); });
        if (timeline == timelines_.end()) continue;
        const AxisPlaces places(**timeline);
        row.start_step = step_at(places, range.start_us);
        row.end_step = step_at(places, range.end_us);
    }
    return *ranges_;
}

const std::vector<DerivedRows::PendingRow>& DerivedRows::pending() {
    if (pending_) return *pending_;
    pending_.emplace();
    for (std::size_t i = 0; i < timelines_.size(); ++i) {
        for (const PendingSpan& span : pending_frees(*timelines_[i])) pending_->push_back({i, span});
    }
    return *pending_;
}

const StackLines& DerivedRows::stack_lines() {
    if (!stack_lines_) {
        // A stop request would throw an exception, and none may pass through SQLite, which calls this function.
        const ContextScope never_stopped({});
        stack_lines_ = StackLines::build(*snapshot_);
    }
    return *stack_lines_;
}

void DerivedRows::find_holes() {
    if (holes_) return;
    holes_.emplace();
    for (const Segment& segment : snapshot_->segments) holes_->push_back(holes_in(*snapshot_, segment));
}

const Holes& DerivedRows::segment_holes(std::size_t segment) {
    find_holes();
    return (*holes_)[segment];
}

const std::vector<DerivedRows::PoolRow>& DerivedRows::pools() {
    if (pools_) return *pools_;
    find_holes();
    pools_.emplace();
    for (std::size_t i = 0; i < snapshot_->segments.size(); ++i) {
        const Segment& segment = snapshot_->segments[i];
        auto row = std::ranges::find_if(
            *pools_, [&](const PoolRow& each) { return each.device == segment.device && each.pool == segment.pool; });
        if (row == pools_->end()) row = pools_->insert(row, {segment.device, segment.pool, 0, 0, 0, 0, {}});
        ++row->segments;
        row->reserved_bytes += segment.total_bytes;
        row->allocated_bytes += segment.allocated_bytes;
        row->active_bytes += segment.active_bytes;
        row->holes.total_bytes += (*holes_)[i].total_bytes;
        row->holes.largest_bytes = std::max(row->holes.largest_bytes, (*holes_)[i].largest_bytes);
        row->holes.count += (*holes_)[i].count;
    }
    std::ranges::stable_sort(
        *pools_, [](const PoolRow& a, const PoolRow& b) { return std::tie(a.device, a.pool) < std::tie(b.device, b.pool); });
    return *pools_;
}

const DerivedRows::StackUse& DerivedRows::use_of(StackId stack) {
    if (stack_uses_.empty()) {
        stack_uses_.resize(snapshot_->stacks.stack_count());
        for (const DeviceTrace& trace : snapshot_->devices) {
            const AllocationColumns& allocations = trace.allocations;
            for (std::size_t i = 0; i < allocations.size(); ++i) {
                if (!allocations.stack[i].is_some() || allocations.origin[i] == Origin::freed) continue;
                StackUse& use = stack_uses_[allocations.stack[i].value];
                ++use.count;
                use.bytes += allocations.size_bytes[i];
                use.largest_bytes = std::max(use.largest_bytes, allocations.size_bytes[i]);
            }
        }
    }
    return stack_uses_[stack.value];
}

}  // namespace snapviewer
