#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Number of events between two checks for a stop request. Processing them takes well below a millisecond.
inline constexpr std::uint32_t k_events_between_looks = 4096;

/// Fills `trace.allocations` and `trace.actions` from the device's events and segments, in the drawing order of PyTorch's
/// memory_viz. Allocations from before the first event are at the bottom, and the one that the file mentions last is lowest.
/// The others follow in the order of their events.
///
/// An allocation gets the pool of its event, if the event has one. An allocation that lives to the end gets the stack of its
/// block if its event has no stack. Reports lost parts of the recording in `snapshot.log`. Throws stopped(). O(events +
/// blocks).
void collect_allocations(Snapshot& snapshot, DeviceTrace& trace);

/// Puts the allocations of a trace in drawing order, as memory_viz does. Allocations are added in the order in which the
/// trace reveals them. Those from before the first event come first, in reverse order of their discovery; the others follow
/// in the order in which they begin. Fills the trace's columns on the way.
///
/// Each method that adds an allocation returns a temporary number, which identifies the allocation in later calls.
class DrawingOrder {
public:
    /// Precondition: the trace has no allocations and no actions yet. It must outlive this object.
    explicit DrawingOrder(DeviceTrace& trace) : trace_(trace) {}

    /// Reserves address space for this number of actions, and half as many allocations. Unused space takes no memory.
    void expect(std::size_t actions) {
        trace_.allocations.reserve(actions / 2);
        trace_.actions.reserve(actions);
    }
    /// Adds an allocation that begins now, and returns its number.
    std::uint32_t begin(const AllocationRow& allocation) {
        const auto number = static_cast<std::uint32_t>(trace_.allocations.size());
        trace_.allocations.push(allocation);
        trace_.actions.push_back(AllocationId{number});
        return number;
    }
    /// Adds an allocation from before the first event, and returns its number.
    std::uint32_t stands_before(const AllocationRow& allocation) {
        standing_.push(allocation);
        return k_last_number - static_cast<std::uint32_t>(standing_.size() - 1);
    }
    /// Adds an allocation that is in the segments at the end but has no alloc event, and returns its number. It was made
    /// before the first event. In a cut-off trace the time of its alloc is unknown, and it begins now, after the last event.
    std::uint32_t stands_at_the_end(AllocationRow allocation) {
        const bool is_cut_off = trace_.cut_off == CutOff::in_the_events;
        allocation.origin = is_cut_off ? Origin::unplaced : Origin::standing;
        return is_cut_off && !trace_.actions.empty() ? begin(allocation) : stands_before(allocation);
    }
    /// Ends an allocation. `event` is its free event, or none() if the file lacks it.
    void end(std::uint32_t number, EventId event) {
        const auto [allocations, row] = place_of(number);
        allocations.free_event[row] = event;
        allocations.state[row] = AllocationState::freed;
        trace_.actions.push_back(AllocationId{number});
    }
    void await_free(std::uint32_t number) {
        const auto [allocations, row] = place_of(number);
        allocations.state[row] = AllocationState::awaiting_free;
    }
    /// Sets the stack of an allocation whose event has none.
    void complete_stack(std::uint32_t number, StackId stack) {
        const auto [allocations, row] = place_of(number);
        if (!allocations.stack[row].is_some()) allocations.stack[row] = stack;
    }
    AllocationRow row(std::uint32_t number) {
        const auto [allocations, row] = place_of(number);
        return allocations.row(row);
    }

    /// Completes allocations, initial_count and actions. If there are no actions, the topmost initial allocation becomes
    /// one, so that the picture has one step. Call once.
    void finish();

private:
    static constexpr std::uint32_t k_last_number = 0xFFFFFFFE;  // numbers of standing allocations count down from here

    bool stands(std::uint32_t number) const { return number > k_last_number - standing_.size(); }
    std::pair<AllocationColumns&, std::size_t> place_of(std::uint32_t number) {
        if (stands(number)) return {standing_, k_last_number - number};
        return {trace_.allocations, number};
    }

    DeviceTrace& trace_;
    AllocationColumns standing_;  ///< allocations from before the first event, in the order of their discovery
};

/// Returns a trace of a device's segments instead of its allocations. It is memory_viz's "Active Cached Segment Timeline",
/// plus the mappings of expandable segments, which memory_viz leaves out. Without segment_map and segment_unmap events both
/// pictures are the same.
///
/// Each mapping is one allocation of the trace. If an unmapping removes a part of a mapping, that allocation ends and new
/// ones for the remaining parts begin at the same moment. Parts of an expandable segment that exist at the end, but that no
/// recorded event mapped, exist from the beginning. The events are copied, so that their indices are those of the device.
/// Throws stopped(). O(events + segments).
std::shared_ptr<const DeviceTrace> collect_segments(const Snapshot& snapshot, const DeviceTrace& device);

/// Returns a trace in which a device's private pools are kept together. It is memory_viz's "Allocated Memory (incl. Private
/// Pools)", but for all allocations.
///
/// Each private pool (of a CUDA graph, or created by the program), per stream, is one envelope in the stack. Its size is the
/// maximum of the bytes reserved for it and active in it so far, so it never shrinks. Its live blocks are at its bottom.
/// Unused memory lies above them, as allocations of Origin::derived. An allocation belongs to the pool of the segment that
/// contains its address. Pools that no longer existed when the snapshot was taken cannot be shown.
///
/// Steps and offsets are those of memory_viz. Unused memory ends when a block takes it, and begins when a block gives it
/// back. If blocks of the pool slide down, the free memory appears after the slide. The trace contains its polygons
/// (DeviceTrace::recorded_paths), so the picture has no time axis. Throws if the polygons would have more than some 16
/// million points, and throws stopped(). O(actions * live).
std::shared_ptr<const DeviceTrace> collect_pools(const Snapshot& snapshot, const DeviceTrace& device);

}  // namespace snapviewer
