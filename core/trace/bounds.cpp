#include "core/trace/bounds.h"

#include <algorithm>

namespace snapviewer {
namespace {

/// Maximum sum of each quantity. Adding the sums of a few quantities stays far below 2^63.
constexpr std::uint64_t k_most_bytes_together = std::uint64_t{1} << 61;
/// Maximum distance from 1970. Such times are within the range of std::chrono calendars, and their differences do not
/// overflow.
constexpr std::int64_t k_furthest_time_us = std::int64_t{1} << 59;

/// Limits the sum of one kind of sizes, which later code may add up: sets the sizes beyond k_most_bytes_together to 0 and
/// counts them.
class Sizes {
public:
    explicit Sizes(std::uint64_t& dropped) : dropped_(dropped) {}

    void add(std::uint64_t& size_bytes) {
        if (size_bytes <= left_bytes_) {
            left_bytes_ -= size_bytes;
        } else {
            size_bytes = 0;
            ++dropped_;
        }
    }

private:
    std::uint64_t& dropped_;
    std::uint64_t left_bytes_ = k_most_bytes_together;
};

std::uint64_t keep_sums_small(Snapshot& snapshot) {
    std::uint64_t dropped = 0;
    Sizes events(dropped), allocations(dropped);
    for (DeviceTrace& trace : snapshot.devices) {
        for (std::uint64_t& size_bytes : trace.events.size_bytes) events.add(size_bytes);
        for (std::uint64_t& size_bytes : trace.allocations.size_bytes) allocations.add(size_bytes);
    }
    Sizes totals(dropped), allocated(dropped), active(dropped), requested(dropped);
    for (Segment& segment : snapshot.segments) {
        totals.add(segment.total_bytes);
        allocated.add(segment.allocated_bytes);
        active.add(segment.active_bytes);
        requested.add(segment.requested_bytes);
    }
    Sizes blocks(dropped), of_blocks_requested(dropped);
    for (Block& block : snapshot.blocks) {
        blocks.add(block.size_bytes);
        of_blocks_requested.add(block.requested_bytes);
    }
    return dropped;
}

/// Checks each amount of free memory on its own, because later code does not add them up. Sets impossible amounts to unknown
/// and returns their number.
std::uint64_t forget_impossible_free_bytes(Snapshot& snapshot) {
    std::uint64_t unknown = 0;
    for (DeviceTrace& trace : snapshot.devices) {
        for (std::size_t event = 0; event < trace.events.size(); ++event) {
            if (!trace.events.is_oom(event)) continue;
            if (trace.events.free_bytes(event).value_or(0) <= k_most_bytes_together) continue;
            trace.events.set_free_bytes(event, std::nullopt);
            ++unknown;
        }
    }
    return unknown;
}

std::uint64_t keep_times_near(Snapshot& snapshot) {
    std::uint64_t dropped = 0;
    const auto check = [&](std::int64_t& time_us) {
        if (time_us == k_no_time || (time_us >= -k_furthest_time_us && time_us <= k_furthest_time_us)) return;
        time_us = k_no_time;
        ++dropped;
    };
    for (DeviceTrace& trace : snapshot.devices) {
        for (std::int64_t& time_us : trace.events.time_us) check(time_us);
        check(trace.start_us);
        check(trace.end_us);
    }
    for (Annotation& annotation : snapshot.annotations) check(annotation.time_us);
    return dropped;
}

}  // namespace

void keep_within_bounds(Snapshot& snapshot) {
    if (const std::uint64_t dropped = keep_sums_small(snapshot); dropped > 0) {
        snapshot.log.add(ImportCode::impossible_size,
                         "sizes that add up to more than 2 EiB, which no machine has; read as 0", {}, dropped);
    }
    if (const std::uint64_t unknown = forget_impossible_free_bytes(snapshot); unknown > 0) {
        snapshot.log.add(ImportCode::impossible_size,
                         "free memory that is negative or more than 2 EiB when memory ran out; read as unknown", {},
                         unknown);
    }
    if (const std::uint64_t dropped = keep_times_near(snapshot); dropped > 0) {
        snapshot.log.add(ImportCode::impossible_time, "times more than 18,000 years away from 1970; read as not recorded",
                         {}, dropped);
    }
}

}  // namespace snapviewer
