#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/timeline/live_list.h"
#include "core/timeline/placed_allocation.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The step, time and total of each tick, as columns of equal length. Shared by the timeline and the curve of its totals.
struct Ticks {
    std::vector<std::uint64_t> step;
    std::vector<std::int64_t> time_us;  ///< since the left edge; empty when the file has no times
    std::vector<std::uint64_t> total_bytes;
};

enum class Axis : std::uint8_t { steps, time };

/// Where and when each allocation of one device is drawn.
///
/// A *tick* is a moment at which the picture changes: tick 0 is the left edge, tick 1 + a is the a-th alloc or free, the
/// last tick is the right edge. The step of a tick is memory_viz's x axis: an alloc takes one step, a free one, and three
/// more in which all that lies above slides down. At any tick an allocation rests on the live allocations with smaller ids,
/// so its lower edge is the sum of their sizes. What happened after a file breaks off (DeviceTrace::unseen_actions) stands
/// behind a gap, in no more steps than slides take.
///
/// Immutable once built; safe to read from many threads. Keeps a reference to the trace.
///
///     const std::uint64_t step = timeline.step_of_tick(timeline.peak_tick());  // where the largest total is drawn
///     for (const AllocationId id : timeline.live_after_tick(timeline.peak_tick())) show(id, timeline.path(id));
class Timeline {
public:
    /// Steps that a drop takes on the step axis; on the time axis drops are vertical.
    static constexpr std::uint64_t k_slide_steps = 3;

    /// Throws stopped(). O(actions) plus the removal of each freed allocation from the live list.
    static Timeline build(std::shared_ptr<const Snapshot> snapshot, std::size_t device_index);
    /// Builds the timeline of a trace that is not in snapshot->devices, but uses the strings, stacks and streams of the
    /// snapshot.
    static Timeline build(std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<const DeviceTrace> trace);

    const Snapshot& snapshot() const { return *snapshot_; }
    const DeviceTrace& trace() const { return *trace_; }
    std::shared_ptr<const DeviceTrace> shared_trace() const { return trace_; }
    std::size_t allocation_count() const { return trace().allocations.size(); }

    std::uint32_t tick_count() const { return static_cast<std::uint32_t>(ticks_->step.size()); }
    std::uint64_t step_count() const { return ticks_->step.back(); }  ///< right edge of the picture
    std::uint64_t step_of_tick(std::uint32_t tick) const { return ticks_->step[tick]; }
    /// Microseconds since the left edge; never falls. Empty when the file has no times.
    std::span<const std::int64_t> tick_times_us() const { return ticks_->time_us; }
    std::span<const std::uint64_t> tick_steps() const { return ticks_->step; }
    bool has_times() const { return !ticks_->time_us.empty(); }
    std::int64_t start_time_us() const { return start_time_us_; }  ///< wall clock of the left edge, or k_no_time
    /// Shared ownership, for users that may outlive the timeline.
    std::shared_ptr<const Ticks> ticks() const { return ticks_; }
    /// How many events had happened once the change of each tick was made; never falls, and all of them at the right edge.
    std::span<const std::uint32_t> tick_events() const { return tick_events_; }

    std::uint64_t peak_bytes() const { return peak_bytes_; }  ///< largest total, the true peak
    std::uint32_t peak_tick() const { return peak_tick_; }
    /// Sum of the allocations that are never freed. One that the very last action frees from the top of the stack is drawn
    /// up to the right edge, but does not count.
    std::uint64_t live_bytes_at_end() const { return ticks_->total_bytes.back(); }
    /// Sum of all live sizes once the slide of that tick is over.
    std::uint64_t total_after_tick(std::uint32_t tick) const { return ticks_->total_bytes[tick]; }
    /// The largest number of allocations that live at one moment.
    std::size_t most_live() const { return most_live_; }
    /// Points of all polygons together, as the reference counts them.
    std::uint64_t path_point_count() const { return path_point_count_; }

    std::uint32_t first_tick(AllocationId id) const { return first_tick_[id.value]; }
    std::uint32_t last_tick(AllocationId id) const { return last_tick_[id.value]; }  ///< tick_count() - 1 if never freed
    std::uint64_t start_step(AllocationId id) const { return ticks_->step[first_tick(id)]; }
    std::uint64_t end_step(AllocationId id) const { return ticks_->step[last_tick(id)]; }

    /// Whether the file gives the polygons (DeviceTrace::recorded_paths), so that they are not computed.
    bool has_recorded_paths() const { return !trace().recorded_paths.ends.empty(); }
    /// Whether the file gives the steps, and no times that go with them.
    bool has_recorded_steps() const { return has_recorded_paths() || !trace().action_steps.empty(); }
    /// The recorded lower edge of one allocation. Only if has_recorded_paths().
    std::span<const PathPoint> recorded_path(AllocationId id) const;

    /// The allocation that starts or ends at a tick; none() at the left and right edge.
    AllocationId allocation_at_tick(std::uint32_t tick) const;
    bool is_free(std::uint32_t tick) const;

    /// Live allocations once tick's change is made, lowest first (ascending ids). Microseconds: from the nearest checkpoint.
    std::vector<AllocationId> live_after_tick(std::uint32_t tick) const;
    /// The last tick at or before a place on the axis (steps, or microseconds since the left edge).
    std::uint32_t tick_at(Axis axis, double x) const;

    /// The allocation at a point, slides included; nullopt if there is none. Takes microseconds.
    std::optional<PlacedAllocation> pick(Axis axis, double x, double offset_bytes) const;

    /// The lower edge of one allocation, as the reference lists it. O(frees during its life).
    std::vector<PathPoint> path(AllocationId id) const;

private:
    Timeline() = default;
    void lay_out_steps();
    void lay_out_events();
    void lay_out_times();
    void add_checkpoint(std::uint32_t tick, const LiveList& live);
    double low_at(AllocationId id, double step) const;

    struct Checkpoint {
        std::uint32_t tick;
        std::uint64_t first;  ///< into checkpoint_ids_
        std::uint32_t count;
    };

    std::shared_ptr<const Snapshot> snapshot_;
    std::shared_ptr<const DeviceTrace> trace_;  ///< shares ownership of the snapshot if it is one of its devices
    std::shared_ptr<Ticks> ticks_ = std::make_shared<Ticks>();
    std::vector<std::uint32_t> tick_events_;
    std::vector<std::uint32_t> first_tick_;
    std::vector<std::uint32_t> last_tick_;
    std::vector<std::uint32_t> free_ticks_;
    std::vector<Checkpoint> checkpoints_;
    std::vector<AllocationId> checkpoint_ids_;
    std::uint64_t peak_bytes_ = 0;
    std::uint32_t peak_tick_ = 0;
    std::size_t most_live_ = 0;
    std::uint64_t path_point_count_ = 0;
    std::int64_t start_time_us_ = k_no_time;
};

}  // namespace snapviewer
