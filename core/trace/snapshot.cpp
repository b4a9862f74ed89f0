#include "core/trace/snapshot.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "core/base/text.h"

namespace snapviewer {
namespace {

/// Maximum sum of each quantity. Adding the sums of a few quantities stays far below 2^63.
constexpr std::uint64_t k_max_total_bytes = std::uint64_t{1} << 61;
/// Maximum distance from 1970. Such times are within the range of std::chrono calendars, and their differences do not
/// overflow.
constexpr std::int64_t k_furthest_time_us = std::int64_t{1} << 59;

/// Limits the sum of one kind of sizes, which later code may add up: sets the sizes beyond k_max_total_bytes to 0 and
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
    std::uint64_t left_bytes_ = k_max_total_bytes;
};

std::uint64_t limit_sums(Snapshot& snapshot) {
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
std::uint64_t reset_impossible_free_bytes(Snapshot& snapshot) {
    std::uint64_t unknown = 0;
    for (DeviceTrace& trace : snapshot.devices) {
        for (std::size_t event = 0; event < trace.events.size(); ++event) {
            if (!trace.events.is_oom(event)) continue;
            if (trace.events.free_bytes(event).value_or(0) <= k_max_total_bytes) continue;
            trace.events.set_free_bytes(event, std::nullopt);
            ++unknown;
        }
    }
    return unknown;
}

std::uint64_t limit_times(Snapshot& snapshot) {
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

std::int64_t first_event_id(const Snapshot& snapshot, const DeviceTrace& trace) {
    std::size_t events = 0;
    for (const DeviceTrace& device : snapshot.devices) {
        if (device.device == trace.device) break;
        events += device.events.size();
    }
    return static_cast<std::int64_t>(events);
}

std::string_view setting_text(const Snapshot& snapshot, std::string_view name) {
    for (const auto& [known, value] : snapshot.settings) {
        if (known == name) return value;
    }
    return {};
}

std::string_view action_name(const Snapshot& snapshot, Action action) {
    constexpr std::array<std::string_view, 11> k_names = {"alloc",         "free_requested", "free_completed",
                                                          "segment_alloc", "segment_free",   "segment_map",
                                                          "segment_unmap", "snapshot",       "oom",
                                                          "annotate",      "user_defined"};
    const auto index = static_cast<std::size_t>(action);
    return index < k_names.size() ? k_names[index] : snapshot.other_actions[index - k_names.size()];
}

const char* file_kind_name(FileKind kind) {
    constexpr std::array k_names = {"pytorch_pickle",  "pytorch_json",      "pytorch_html",     "memory_timeline",
                                    "snapviewer_zip",  "snapviewer_folder", "insight_snapshot", "memory_report",
                                    "run_time_report", "ascend_profiler",   "msprof",           "msmemscope",
                                    "sqlite"};
    return k_names[static_cast<std::size_t>(kind)];
}

bool is_pytorch_recording(FileKind kind) {
    return kind == FileKind::pytorch_pickle || kind == FileKind::pytorch_json || kind == FileKind::pytorch_html ||
           kind == FileKind::insight_snapshot;
}

const char* reserved_known_name(ReservedKnown known) {
    constexpr std::array k_names = {"no", "end", "throughout"};
    return k_names[static_cast<std::size_t>(known)];
}

const char* origin_name(Origin origin) {
    constexpr std::array k_names = {"alloc", "freed", "standing", "derived", "unplaced"};
    return k_names[static_cast<std::size_t>(origin)];
}

const char* state_name(AllocationState state) {
    constexpr std::array k_names = {"live", "awaiting_free", "freed"};
    return k_names[static_cast<std::size_t>(state)];
}

const char* block_state_name(BlockState state) {
    constexpr std::array k_names = {"inactive", "active_allocated", "active_pending_free"};
    return k_names[static_cast<std::size_t>(state)];
}

void limit_values(Snapshot& snapshot) {
    if (const std::uint64_t dropped = limit_sums(snapshot); dropped > 0) {
        snapshot.log.add("impossible_size", {.count = dropped},
                         {"sizes that add up to more than 2 EiB, which no machine has; read as 0"});
    }
    if (const std::uint64_t unknown = reset_impossible_free_bytes(snapshot); unknown > 0) {
        snapshot.log.add("impossible_size", {.count = unknown},
                         {"free memory that is negative or more than 2 EiB when memory ran out; read as unknown"});
    }
    if (const std::uint64_t dropped = limit_times(snapshot); dropped > 0) {
        snapshot.log.add("impossible_time", {.count = dropped});
    }
}

namespace {

constexpr std::int64_t k_day_us = std::int64_t{24} * 3600 * 1'000'000;
constexpr std::size_t k_max_strays = 16;
constexpr std::int64_t k_max_shift_us = std::int64_t{1} << 58;  // maximum sum of all shifts; prevents overflow
constexpr std::size_t k_events_per_stray = 20;                  // one stray time is allowed for every 20 events
constexpr std::int64_t k_visible_fraction = 100;                // jumps of less than 1/100 of the recording are kept

/// True if the times may need repair: one goes back, or follows more than a day after the previous one. False for nearly
/// every file.
bool may_be_wrong(const std::vector<std::int64_t>& times) {
    std::int64_t last_us = k_no_time;
    for (const std::int64_t time_us : times) {
        if (time_us == k_no_time) continue;
        if (last_us != k_no_time && (time_us < last_us || time_us - last_us > k_day_us)) return true;
        last_us = time_us;
    }
    return false;
}

/// Repairs the times of one trace.
class ClockRepair {
public:
    struct Jump {
        std::uint32_t event = 0;  ///< number of the first event after the jump
        std::int64_t back_us = 0;
    };

    explicit ClockRepair(std::vector<std::int64_t>& times) : times_(times) {
        for (std::uint32_t event = 0; event < times.size(); ++event) {
            if (times[event] != k_no_time) events_.push_back(event);
        }
        if (events_.size() >= k_events_per_stray / 2)
            max_strays_ = std::clamp<std::size_t>(events_.size() / k_events_per_stray, 1, k_max_strays);
    }

    void run() {
        if (max_strays_ == 0) return;
        find_middle();
        drop_far_ends();
        find_visible();
        scan();
        if (strays.size() > max_strays_ || jumps.size() > max_strays_) give_up();  // the times are not from a clock
        std::ranges::sort(strays);
        for (const std::uint32_t event : strays) times_[event] = k_no_time;
        for (const Kept& kept : kept_) times_[kept.event] = kept.time_us;
    }

    std::vector<Jump> jumps;
    std::vector<std::uint32_t> strays;  ///< events with stray times

private:
    struct Kept {
        std::uint32_t event = 0;
        std::int64_t time_us = 0;    ///< repaired time
        std::int64_t latest_us = 0;  ///< latest repaired time up to this event
    };

    std::int64_t time(std::size_t place) const { return times_[events_[place]]; }

    void find_middle() {
        std::vector<std::int64_t> sorted;
        for (const std::uint32_t event : events_) sorted.push_back(times_[event]);
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::ranges::nth_element(sorted, middle);
        middle_us_ = *middle;
    }

    /// Drops the first and last few times if more than a day lies between them and all others.
    void drop_far_ends() {
        const std::size_t count = events_.size();
        std::size_t first = 0, end = count;
        std::int64_t highest_us = time(0), lowest_us = time(count - 1);
        for (std::size_t i = 0; i < max_strays_; ++i) {
            highest_us = std::max(highest_us, time(i));
            lowest_us = std::min(lowest_us, time(count - 1 - i));
            if (time(i + 1) - highest_us > k_day_us && is_farther(time(i), time(i + 1))) first = i + 1;
            const std::size_t last = count - 1 - i;
            if (lowest_us - time(last - 1) > k_day_us && is_farther(time(last), time(last - 1))) end = last;
        }
        const auto at = [&](std::size_t place) { return events_.begin() + static_cast<std::ptrdiff_t>(place); };
        strays.assign(events_.begin(), at(first));
        strays.insert(strays.end(), at(end), events_.end());
        events_.erase(at(end), events_.end());
        events_.erase(events_.begin(), at(first));
    }

    void find_visible() {
        std::int64_t length_us = 0;
        for (std::size_t i = 1; i < events_.size(); ++i) {
            const std::int64_t step_us = time(i) - time(i - 1);
            if (step_us > 0 && step_us < k_day_us) length_us += step_us;
        }
        visible_us_ = std::max<std::int64_t>(1, length_us / k_visible_fraction);
    }

    void scan() {
        std::int64_t shift_us = 0;
        for (std::size_t i = 0; i < events_.size() && strays.size() <= max_strays_; ++i) {
            if (kept_.empty() || time(i) >= kept_.back().latest_us) shift_us = 0;  // the clock was corrected again
            const std::int64_t now_us = time(i) + shift_us;
            const std::int64_t back_us = kept_.empty() ? 0 : kept_.back().latest_us - now_us;
            if (back_us < visible_us_) {
                keep(i, now_us);
                continue;
            }
            const std::size_t later = count_later_than(now_us);
            const std::size_t earlier = count_earlier_from(i, shift_us);
            const bool were_ahead = earlier > max_strays_ || is_farther(kept_.back().latest_us, now_us);
            if (later <= max_strays_ && were_ahead) {
                for (std::size_t n = 0; n < later; ++n, kept_.pop_back()) strays.push_back(kept_.back().event);
                keep(i, now_us);
            } else if (earlier > max_strays_) {
                if (shift_us + back_us > k_max_shift_us) return give_up();
                jumps.push_back({events_[i], back_us});
                shift_us += back_us;
                keep(i, now_us + back_us);
            } else if (now_us < kept_.front().time_us) {
                strays.push_back(events_[i]);
            } else {
                keep(i, now_us);
            }
        }
    }

    void give_up() {
        strays.clear();
        jumps.clear();
        kept_.clear();
    }

    void keep(std::size_t place, std::int64_t now_us) {
        kept_.push_back({events_[place], now_us, kept_.empty() ? now_us : std::max(now_us, kept_.back().latest_us)});
    }
    /// True if `a_us` is more likely to be stray than `b_us`, because it is farther from the median.
    bool is_farther(std::int64_t a_us, std::int64_t b_us) const {
        return std::abs(a_us - middle_us_) > std::abs(b_us - middle_us_);
    }
    /// Returns how many of the last kept times are later than `time_us`. Stops counting once the number exceeds
    /// max_strays_.
    std::size_t count_later_than(std::int64_t time_us) const {
        std::size_t count = 0;
        while (count < kept_.size() && count <= max_strays_ && kept_[kept_.size() - 1 - count].latest_us > time_us) ++count;
        return count;
    }
    /// Returns how many times from `place` on are earlier than the latest kept time. Stops counting once the number exceeds
    /// max_strays_.
    std::size_t count_earlier_from(std::size_t place, std::int64_t shift_us) const {
        std::size_t count = 0;
        while (place + count < events_.size() && count <= max_strays_ &&
               time(place + count) + shift_us < kept_.back().latest_us)
            ++count;
        return count;
    }

    std::vector<std::int64_t>& times_;
    std::vector<std::uint32_t> events_;  ///< numbers of the events that have a time
    std::size_t max_strays_ = 0;
    std::int64_t visible_us_ = 1;
    std::int64_t middle_us_ = 0;  ///< median of all times
    std::vector<Kept> kept_;
};

/// Moves the annotations that were recorded after a jump back of the clock. An annotation is after the jump if its time is
/// before that of the first event, or if it follows an annotation after which the times go back; annotations are listed in
/// the order in which they happened.
void move_annotations(Snapshot& snapshot, std::int32_t device, std::int64_t first_us, std::int64_t back_us) {
    bool is_after = false;
    std::int64_t last_us = k_no_time;
    for (Annotation& annotation : snapshot.annotations) {
        if (annotation.device != device || annotation.time_us == k_no_time) continue;
        is_after |= annotation.time_us < first_us || (last_us != k_no_time && annotation.time_us < last_us - back_us / 2);
        last_us = annotation.time_us;
        if (is_after) annotation.time_us += back_us;
    }
}

}  // namespace

void repair_clocks(Snapshot& snapshot) {
    for (DeviceTrace& trace : snapshot.devices) {
        std::vector<std::int64_t>& times = trace.events.time_us;
        if (!may_be_wrong(times)) continue;
        ClockRepair mender(times);
        mender.run();
        if (!mender.strays.empty()) {
            snapshot.log.add("stray_times", {.count = mender.strays.size()}, {mender.strays.front(), trace.device});
        }
        for (const ClockRepair::Jump& jump : mender.jumps) {
            snapshot.log.add("clock_set_back", {}, {format_duration_us(jump.back_us), jump.event, trace.device});
            const auto first = std::ranges::find_if(times, [](std::int64_t time_us) { return time_us != k_no_time; });
            move_annotations(snapshot, trace.device, *first, jump.back_us);
        }
    }
}

namespace {

class Renumbering {
public:
    explicit Renumbering(const StackTable& old)
        : old_(old), new_stacks_(old.stack_count()), new_frames_(old.frame_count()) {}

    void renumber(StackId& stack) {
        if (!stack.is_some()) return;
        StackId& known = new_stacks_[stack.value];
        if (!known.is_some()) known = add(stack);
        stack = known;
    }

    StackTable take() { return std::move(table_); }

private:
    StackId add(StackId stack) {
        frames_.clear();
        for (const FrameId frame : old_.stack(stack)) {
            FrameId& known = new_frames_[frame.value];
            if (!known.is_some()) known = table_.intern_frame(old_.frame(frame));
            frames_.push_back(known);
        }
        return table_.intern_stack(frames_);
    }

    const StackTable& old_;
    StackTable table_;
    std::vector<StackId> new_stacks_;
    std::vector<FrameId> new_frames_;
    std::vector<FrameId> frames_;
};

}  // namespace

void renumber_stacks(Snapshot& snapshot) {
    Renumbering numbers(snapshot.stacks);
    for (Segment& segment : snapshot.segments) {
        numbers.renumber(segment.stack);
        for (std::uint32_t i = 0; i < segment.block_count; ++i)
            numbers.renumber(snapshot.blocks[segment.first_block + i].stack);
    }
    for (DeviceTrace& trace : snapshot.devices) {
        for (StackId& stack : trace.events.stack) numbers.renumber(stack);
    }
    snapshot.stacks = numbers.take();
}

}  // namespace snapviewer
