#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/snapshot.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// The allocations that are live at one moment, by ascending id. Stored in pieces of at most 1024 ids, so that erase() moves
/// at most one piece, regardless of how many allocations are live and in which order they end.
class LiveList {
public:
    /// Adds an allocation. Precondition: `id` is larger than all ids in the list.
    void push_back(AllocationId id) {
        if (pieces_.empty() || pieces_.back().size() == k_piece) pieces_.emplace_back().reserve(k_piece);
        pieces_.back().push_back(id);
        ++size_;
    }

    /// Removes an allocation and returns the number of allocations above it, that is, with larger ids. Precondition: it is
    /// in the list. O(live / 1024).
    std::size_t erase(AllocationId id) {
        const auto after = std::ranges::upper_bound(pieces_, id, {}, [](const Piece& piece) { return piece.front(); });
        const auto piece = after - 1;
        const auto at = piece->erase(std::ranges::lower_bound(*piece, id));
        auto above = static_cast<std::size_t>(piece->end() - at);
        for (auto higher = after; higher != pieces_.end(); ++higher) above += higher->size();
        if (piece->empty()) pieces_.erase(piece);
        --size_;
        return above;
    }

    std::size_t size() const { return size_; }
    void append_to(std::vector<AllocationId>& all) const {
        for (const Piece& piece : pieces_) all.insert(all.end(), piece.begin(), piece.end());
    }

private:
    using Piece = std::vector<AllocationId>;
    static constexpr std::size_t k_piece = 1024;

    std::vector<Piece> pieces_;  ///< pieces of the list; none is empty
    std::size_t size_ = 0;
};

/// An allocation at a point of the picture, with the offset of its lower edge there. Comparing it with an id compares only
/// the ids.
struct PlacedAllocation {
    AllocationId id;
    double low_bytes = 0;  ///< lower edge, including slides in progress
    bool operator==(const PlacedAllocation&) const = default;
    bool operator==(AllocationId other) const { return id == other; }
};

/// The step, time and total of each tick, as columns of equal length. Shared by the timeline and the curve of its totals.
struct Ticks {
    std::vector<std::uint64_t> step;
    std::vector<std::int64_t> time_us;  ///< microseconds since the left edge; empty if the file has no times
    std::vector<std::uint64_t> total_bytes;
};

enum class Axis : std::uint8_t { steps, time };

/// The layout of one device's picture: when each allocation begins and ends, and its vertical offset at any time.
///
/// A *tick* is a moment at which the picture changes: tick 0 is the left edge, tick 1 + a is the a-th alloc or free, the
/// last tick is the right edge. The step of a tick is its position on memory_viz's x axis. An alloc takes one step. A free
/// takes one step, and three more in which everything above it slides down. At any tick, an allocation rests on the live
/// allocations with smaller ids, so its lower edge is the sum of their sizes. Actions after the point at which a file breaks
/// off (DeviceTrace::unseen_actions) are drawn after a gap, where only frees with slides take steps.
///
/// Immutable once built, so thread-safe. Keeps a reference to the trace.
///
///     const std::uint64_t step = timeline.step_of_tick(timeline.peak_tick());  // where the largest total is drawn
///     for (const AllocationId id : timeline.live_after_tick(timeline.peak_tick())) show(id, timeline.path(id));
class Timeline {
public:
    /// Steps that a slide takes after a free. On the time axis slides take no time.
    static constexpr std::uint64_t k_slide_steps = 3;

    /// Builds the timeline of a device of the snapshot. Throws stopped(). O(actions) plus LiveList::erase() for each free.
    static Timeline build(std::shared_ptr<const Snapshot> snapshot, std::size_t device_index);
    /// Builds the timeline of a trace that is not in snapshot->devices but uses the snapshot's strings, stacks and streams.
    /// Throws stopped().
    static Timeline build(std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<const DeviceTrace> trace);

    const Snapshot& snapshot() const { return *snapshot_; }
    const DeviceTrace& trace() const { return *trace_; }
    std::shared_ptr<const DeviceTrace> shared_trace() const { return trace_; }
    std::size_t allocation_count() const { return trace().allocations.size(); }

    std::uint32_t tick_count() const { return static_cast<std::uint32_t>(ticks_->step.size()); }
    std::uint64_t step_count() const { return ticks_->step.back(); }  ///< step of the right edge
    std::uint64_t step_of_tick(std::uint32_t tick) const { return ticks_->step[tick]; }
    /// Microseconds since the left edge, by tick; never decreases. Empty if the file has no times.
    std::span<const std::int64_t> tick_times_us() const { return ticks_->time_us; }
    std::span<const std::uint64_t> tick_steps() const { return ticks_->step; }
    bool has_times() const { return !ticks_->time_us.empty(); }
    std::int64_t start_time_us() const { return start_time_us_; }  ///< wall clock time of the left edge, or k_no_time
    /// Shared ownership, for users that may outlive the timeline.
    std::shared_ptr<const Ticks> ticks() const { return ticks_; }
    /// The number of events that happened up to and including each tick. Never decreases; includes all events at the right
    /// edge.
    std::span<const std::uint32_t> tick_events() const { return tick_events_; }

    std::uint64_t peak_bytes() const { return peak_bytes_; }  ///< largest total at any tick
    std::uint32_t peak_tick() const { return peak_tick_; }
    /// The sum of the allocations that are never freed. An allocation that the very last action frees from the top of the
    /// stack is drawn up to the right edge, but does not count.
    std::uint64_t live_bytes_at_end() const { return ticks_->total_bytes.back(); }
    /// The sum of all live sizes after the slide of that tick.
    std::uint64_t total_after_tick(std::uint32_t tick) const { return ticks_->total_bytes[tick]; }
    /// The largest number of allocations that are live at the same time.
    std::size_t max_live() const { return max_live_; }
    /// The number of points of all polygons, as memory_viz counts them.
    std::uint64_t path_point_count() const { return path_point_count_; }

    std::uint32_t first_tick(AllocationId id) const { return first_tick_[id.value]; }
    std::uint32_t last_tick(AllocationId id) const { return last_tick_[id.value]; }  ///< tick_count() - 1 if never freed
    std::uint64_t start_step(AllocationId id) const { return ticks_->step[first_tick(id)]; }
    std::uint64_t end_step(AllocationId id) const { return ticks_->step[last_tick(id)]; }

    /// True if the file contains the polygons (DeviceTrace::recorded_paths), so that they are not computed.
    bool has_recorded_paths() const { return !trace().recorded_paths.ends.empty(); }
    /// True if the file contains the steps of the actions. Such a timeline has no times.
    bool has_recorded_steps() const { return has_recorded_paths() || !trace().action_steps.empty(); }
    /// The recorded points of an allocation's lower edge. Precondition: has_recorded_paths().
    std::span<const PathPoint> recorded_path(AllocationId id) const;

    /// The allocation that starts or ends at a tick; none() at the left and right edge.
    AllocationId allocation_at_tick(std::uint32_t tick) const;
    bool is_free(std::uint32_t tick) const;

    /// The live allocations after a tick, lowest first (ascending ids). Starts at the nearest checkpoint, so it takes
    /// microseconds.
    std::vector<AllocationId> live_after_tick(std::uint32_t tick) const;
    /// The last tick at or before a position on an axis (steps, or microseconds since the left edge).
    std::uint32_t tick_at(Axis axis, double x) const;

    /// The allocation at a point of the picture, with slides in progress taken into account; nullopt if there is none. Takes
    /// microseconds.
    std::optional<PlacedAllocation> pick(Axis axis, double x, double offset_bytes) const;

    /// The points of an allocation's lower edge, as memory_viz lists them. O(frees during its life).
    std::vector<PathPoint> path(AllocationId id) const;

private:
    Timeline() = default;
    void lay_out_steps();
    void lay_out_events();
    void lay_out_times();
    void add_checkpoint(std::uint32_t tick, const LiveList& live);

    struct Checkpoint {
        std::uint32_t tick;
        std::uint64_t first;  ///< index of the first id in checkpoint_ids_
        std::uint32_t count;
    };

    std::shared_ptr<const Snapshot> snapshot_;
    std::shared_ptr<const DeviceTrace> trace_;  ///< shares ownership of the snapshot if the trace is one of its devices
    std::shared_ptr<Ticks> ticks_ = std::make_shared<Ticks>();
    std::vector<std::uint32_t> tick_events_;
    std::vector<std::uint32_t> first_tick_;
    std::vector<std::uint32_t> last_tick_;
    std::vector<std::uint32_t> free_ticks_;
    std::vector<Checkpoint> checkpoints_;
    std::vector<AllocationId> checkpoint_ids_;
    std::uint64_t peak_bytes_ = 0;
    std::uint32_t peak_tick_ = 0;
    std::size_t max_live_ = 0;
    std::uint64_t path_point_count_ = 0;
    std::int64_t start_time_us_ = k_no_time;
};

/// The height of a recorded path at a step, between the points `next - 1` and `next`, its first point after the step or at
/// it. Before the first point and after the last, the height of that point.
double path_height(std::span<const PathPoint> points, std::size_t next, double step);

/// The position of a tick on an axis. The last tick gives the right edge. Precondition on Axis::time: the file has times.
inline double place_of_tick(const Timeline& timeline, Axis axis, std::uint32_t tick) {
    return axis == Axis::time ? static_cast<double>(timeline.tick_times_us()[tick])
                              : static_cast<double>(timeline.step_of_tick(tick));
}

/// Computes the polygons of all allocations of a timeline. read() takes time in proportion to the polygon's points, whereas
/// Timeline::path() visits every free during the allocation's life, including frees of allocations above it.
///
/// The constructor takes O(allocations) and some 8 bytes for each free. Immutable and thread-safe. Keeps a reference to the
/// timeline.
class AllPaths {
public:
    explicit AllPaths(const Timeline& timeline);

    /// Replaces `points` with the result of Timeline::path(id). Reuses the memory of `points` between calls.
    void read(AllocationId id, std::vector<PathPoint>& points) const;

private:
    std::size_t next_freed_below(std::size_t at, std::uint32_t id) const;

    const Timeline& timeline_;
    std::vector<std::uint32_t> free_ticks_;
    /// A tree of minima. Level 0 has the freed allocations' ids in the order of the frees. Each entry of a higher level is
    /// the minimum of k_group_size entries of the level below; the highest level has at most k_group_size entries.
    std::vector<std::vector<std::uint32_t>> min_freed_;
    std::vector<std::uint64_t> initial_low_bytes_;  ///< lower edges at the left edge of the allocations from before the
                                                    ///< recording, by id
};

/// True if a file's polygons are those of a stack: allocations lie on one another without gaps, and slide down when one
/// below them ends, at the steps that the file contains. This is the picture of any recording of events. Such polygons need
/// not be kept, because they can be computed and drawn from an index at any size. Most files that SnapViewer writes are like
/// this.
///
/// The polygons must be equal to the last point. O(path points). Throws stopped().
bool are_stacked(const DeviceTrace& trace);

}  // namespace snapviewer
