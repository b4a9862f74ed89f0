#include "core/timeline/collect.h"

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "core/base/context.h"
#include "core/timeline/timeline.h"
#include "core/trace/segments.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_max_points = 16U << 20;

/// Builds the polygons of a trace, together with its actions and their steps.
class PoolPolygons {
public:
    /// Begins a polygon at a step and returns its index.
    std::uint32_t begin(const AllocationRow& allocation, std::uint64_t step, std::uint64_t offset_bytes) {
        const auto polygon = static_cast<std::uint32_t>(paths_.size());
        allocations_.push(allocation);
        paths_.push_back({{step, offset_bytes}});
        ended_.push_back(false);
        ++point_count_;
        if (polygon >= initial_count_) add_action(polygon, step);
        return polygon;
    }
    void end(std::uint32_t polygon, std::uint64_t step) {
        paths_[polygon].push_back({step, paths_[polygon].back().offset_bytes});
        ended_[polygon] = true;
        if (allocations_.origin[polygon] == Origin::derived) allocations_.state[polygon] = AllocationState::freed;
        ++point_count_;
        add_action(polygon, step);
    }
    /// Moves a polygon by `by_bytes`, gradually over the three steps from `step` on.
    void slide(std::uint32_t polygon, std::uint64_t step, std::int64_t by_bytes) {
        std::vector<PathPoint>& path = paths_[polygon];
        const std::uint64_t from_bytes = path.back().offset_bytes;
        path.push_back({step, from_bytes});
        path.push_back({step + Timeline::k_slide_steps, from_bytes + static_cast<std::uint64_t>(by_bytes)});
        point_count_ += 2;
    }

    std::uint64_t point_count() const { return point_count_; }
    /// After this call, begin() adds actions. Earlier polygons begin at the left edge.
    void start_actions() { initial_count_ = static_cast<std::uint32_t>(paths_.size()); }

    /// Closes open polygons at the right edge and moves everything into the trace. Call once.
    void write(DeviceTrace& trace, std::uint64_t end_step) {
        trace.initial_count = std::min(initial_count_, static_cast<std::uint32_t>(paths_.size()));
        trace.recorded_paths.points.reserve(point_count_ + paths_.size());
        for (std::size_t i = 0; i < paths_.size(); ++i) {
            if (!ended_[i]) paths_[i].push_back({end_step, paths_[i].back().offset_bytes});
            trace.recorded_paths.points.insert(trace.recorded_paths.points.end(), paths_[i].begin(), paths_[i].end());
            trace.recorded_paths.ends.push_back(trace.recorded_paths.points.size());
        }
        trace.allocations = std::move(allocations_);
        trace.actions = std::move(actions_);
        trace.action_steps = std::move(action_steps_);
        trace.end_step = end_step;
    }

private:
    void add_action(std::uint32_t polygon, std::uint64_t step) {
        actions_.push_back(AllocationId{polygon});
        action_steps_.push_back(step);
    }

    AllocationColumns allocations_;
    std::vector<std::vector<PathPoint>> paths_;
    std::vector<bool> ended_;
    std::vector<AllocationId> actions_;
    std::vector<std::uint64_t> action_steps_;
    std::uint32_t initial_count_ = 0xFFFFFFFF;
    std::uint64_t point_count_ = 0;
};

/// The area of a private pool in the stack, with live blocks at the bottom and unused memory above them.
struct Envelope {
    struct Unused {
        static constexpr std::uint32_t k_not_drawn = 0xFFFFFFFF;
        std::uint64_t size_bytes = 0;
        std::uint32_t polygon = k_not_drawn;
    };

    std::uint16_t pool = k_no_pool;
    std::uint16_t stream = 0;
    std::int64_t reserved_bytes = 0;
    std::uint64_t active_bytes = 0;
    std::uint64_t size_bytes = 0;        ///< height of the envelope; never shrinks
    std::uint64_t offset_bytes = 0;      ///< offset of the bottom edge
    bool is_placed = false;              ///< true once the pool has had a block, which puts the envelope into the stack
    std::uint32_t place = 0;             ///< sort key of the envelope in the stack
    std::vector<std::uint32_t> stripes;  ///< polygons of live blocks, bottom to top
    std::deque<Unused> unused;           ///< pieces of unused memory, bottom to top

    /// The size that the envelope needs if `more_bytes` more are active.
    std::uint64_t wanted_bytes(std::uint64_t more_bytes) const {
        const std::uint64_t reserved = reserved_bytes > 0 ? static_cast<std::uint64_t>(reserved_bytes) : 0;
        return std::max({size_bytes, active_bytes + more_bytes, reserved});
    }
    /// Removes `size` bytes from the bottom of the unused memory, for a new block.
    void use(std::uint64_t size, std::uint64_t step, PoolPolygons& polygons) {
        while (size > 0 && !unused.empty()) {
            const Unused piece = unused.front();
            unused.pop_front();
            if (piece.polygon != Unused::k_not_drawn) polygons.end(piece.polygon, step);
            if (piece.size_bytes > size) unused.push_front({piece.size_bytes - size});
            size -= std::min(size, piece.size_bytes);
        }
    }
    /// Begins polygons for pieces of unused memory that have none yet.
    void draw_unused(std::uint64_t step, PoolPolygons& polygons) {
        std::uint64_t at_bytes = offset_bytes + active_bytes;
        for (Unused& piece : unused) {
            if (piece.polygon == Unused::k_not_drawn) {
                const AllocationRow row{
                    .size_bytes = piece.size_bytes, .stream = stream, .pool = pool, .origin = Origin::derived};
                piece.polygon = polygons.begin(row, step, at_bytes);
            }
            at_bytes += piece.size_bytes;
        }
    }
    void slide(std::uint64_t step, std::int64_t by_bytes, PoolPolygons& polygons) {
        offset_bytes += static_cast<std::uint64_t>(by_bytes);
        for (const std::uint32_t stripe : stripes) polygons.slide(stripe, step, by_bytes);
        for (const Unused& piece : unused) polygons.slide(piece.polygon, step, by_bytes);
    }
};

/// A segment event of a private pool.
struct Reservation {
    std::uint32_t actions_before = 0;
    std::int64_t change_bytes = 0;
    std::uint32_t envelope = 0;
};

class PoolCollector {
public:
    PoolCollector(const Snapshot& snapshot, const DeviceTrace& device)
        : snapshot_(snapshot), device_(device), allocations_(device.allocations), segments_(snapshot, device.device) {}

    void run(DeviceTrace& trace) {
        find_envelopes();
        find_reservations();
        place_initial();
        std::size_t next = 0;
        const auto reserve_until = [&](std::size_t action) {
            for (; next < reservations_.size() && reservations_[next].actions_before <= action; ++next)
                reserve(reservations_[next]);
        };
        for (std::size_t action = 0; action < device_.actions.size(); ++action) {
            reserve_until(action);
            act(device_.actions[action].value);
            if (polygons_.point_count() > k_max_points) {
                throw Failure{
                    {ErrorCode::unsupported, "has too many frees below too many blocks to draw the picture of pools"}};
            }
            check_stop();
            report_done(action, device_.actions.size());
        }
        reserve_until(device_.actions.size());
        polygons_.write(trace, step_);
    }

private:
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    /// An item of the stack: one block or one envelope. New items go on top, so the stack is sorted by `place`.
    struct Entry {
        std::uint32_t polygon = k_none;
        std::uint32_t envelope = k_none;
        std::uint32_t place = 0;
    };

    /// Pushes an entry on top of the stack and sets `place` to its key for entry_at().
    void put(Entry entry, std::uint32_t& place) {
        place = entry.place = next_place_++;
        stack_.push_back(entry);
    }

    std::vector<Entry>::iterator entry_at(std::uint32_t place) {
        return std::ranges::lower_bound(stack_, place, {}, &Entry::place);
    }

    std::uint32_t envelope_at(std::uint64_t address) {
        const Segment* segment = segments_.find(address);
        return segment == nullptr ? k_none : envelope_of(*segment);
    }

    std::uint32_t envelope_of(const Segment& segment) {
        if (!is_private_pool(snapshot_, segment.pool)) return k_none;
        const auto [at, is_new] =
            numbers_.try_emplace({segment.pool, segment.stream}, static_cast<std::uint32_t>(envelopes_.size()));
        if (is_new) {
            Envelope& envelope = envelopes_.emplace_back();
            envelope.pool = segment.pool;
            envelope.stream = segment.stream;
        }
        return at->second;
    }

    void find_envelopes() {
        for (std::uint32_t i = 0; i < allocations_.size(); ++i) envelope_of_.push_back(envelope_at(allocations_.address[i]));
        polygon_of_.assign(allocations_.size(), k_none);
        place_of_.assign(allocations_.size(), k_none);
    }

    /// Collects the segment events of private pools, and computes the bytes that each pool had reserved before the first
    /// event.
    void find_reservations() {
        for (const Segment& segment : snapshot_.segments) {
            if (segment.device != device_.device) continue;
            // Uses the segment itself and not its address, because a damaged file may have several segments at one address.
            const std::uint32_t envelope = envelope_of(segment);
            if (envelope != k_none) envelopes_[envelope].reserved_bytes += static_cast<std::int64_t>(segment.total_bytes);
        }
        std::uint32_t actions = 0;
        for (std::size_t event = 0; event < device_.events.size(); ++event) {
            const Action action = device_.events.action[event];
            if (action == Action::alloc || action == Action::free_completed) ++actions;
            const bool grows = action == Action::segment_alloc || action == Action::segment_map;
            if (!grows && action != Action::segment_free && action != Action::segment_unmap) continue;
            const std::uint32_t envelope = envelope_at(device_.events.address[event]);
            if (envelope == k_none) continue;
            const auto size_bytes = static_cast<std::int64_t>(device_.events.size_bytes[event]);
            reservations_.push_back({actions, grows ? size_bytes : -size_bytes, envelope});
            envelopes_[envelope].reserved_bytes -= reservations_.back().change_bytes;
        }
    }

    /// Places everything that exists at the left edge. The sizes of envelopes must be known before anything above them is
    /// placed.
    void place_initial() {
        std::vector<std::vector<std::uint32_t>> members(envelopes_.size());  // allocations of each envelope, bottom to top
        for (std::uint32_t i = 0; i < device_.initial_count; ++i) {
            const std::uint32_t number = envelope_of_[i];
            if (number == k_none) {
                put({.polygon = i}, place_of_[i]);
            } else {
                if (members[number].empty()) put({.envelope = number}, envelopes_[number].place);
                envelopes_[number].active_bytes += allocations_.size_bytes[i];
                members[number].push_back(i);
            }
        }
        for (Entry& entry : stack_) {
            if (entry.envelope != k_none) {
                place_envelope(envelopes_[entry.envelope], members[entry.envelope]);
                continue;
            }
            const std::uint32_t allocation = entry.polygon;
            entry.polygon = polygons_.begin(allocations_.row(allocation), 0, total_bytes_);
            polygon_of_[allocation] = entry.polygon;
            total_bytes_ += allocations_.size_bytes[allocation];
        }
        polygons_.start_actions();
    }

    void place_envelope(Envelope& envelope, const std::vector<std::uint32_t>& members) {
        envelope.is_placed = true;
        envelope.offset_bytes = total_bytes_;
        envelope.size_bytes = envelope.wanted_bytes(0);
        for (const std::uint32_t i : members) {
            polygon_of_[i] = polygons_.begin(allocations_.row(i), 0, total_bytes_);
            envelope.stripes.push_back(polygon_of_[i]);
            total_bytes_ += allocations_.size_bytes[i];
        }
        if (envelope.size_bytes > envelope.active_bytes)
            envelope.unused.push_back({envelope.size_bytes - envelope.active_bytes});
        envelope.draw_unused(0, polygons_);
        total_bytes_ = envelope.offset_bytes + envelope.size_bytes;
    }

    void act(std::uint32_t allocation) {
        const std::uint32_t number = envelope_of_[allocation];
        const bool begins = polygon_of_[allocation] == k_none;
        if (number == k_none) {
            begins ? push(allocation) : remove(allocation);
        } else {
            begins ? use(envelopes_[number], number, allocation) : add_unused(envelopes_[number], allocation);
        }
    }

    void push(std::uint32_t allocation) {
        polygon_of_[allocation] = polygons_.begin(allocations_.row(allocation), step_, total_bytes_);
        put({.polygon = polygon_of_[allocation]}, place_of_[allocation]);
        total_bytes_ += allocations_.size_bytes[allocation];
        ++step_;
    }

    void remove(std::uint32_t allocation) {
        ++step_;
        const std::uint32_t polygon = polygon_of_[allocation];
        polygons_.end(polygon, step_);
        const auto above = stack_.erase(entry_at(place_of_[allocation]));
        const auto size_bytes = static_cast<std::int64_t>(allocations_.size_bytes[allocation]);
        slide(static_cast<std::size_t>(above - stack_.begin()), -size_bytes);
        total_bytes_ -= allocations_.size_bytes[allocation];
    }

    /// Moves all entries from index `first` on by `by_bytes`. Takes three steps, or none if there are no such entries.
    void slide(std::size_t first, std::int64_t by_bytes) {
        for (std::size_t i = first; i < stack_.size(); ++i) {
            if (stack_[i].envelope == k_none) {
                polygons_.slide(stack_[i].polygon, step_, by_bytes);
            } else {
                envelopes_[stack_[i].envelope].slide(step_, by_bytes, polygons_);
            }
        }
        if (first < stack_.size()) step_ += Timeline::k_slide_steps;
    }

    /// Enlarges an envelope to `to_bytes`. Always takes three steps, even if nothing lies above it.
    void grow(Envelope& envelope, std::uint64_t to_bytes) {
        const std::uint64_t more_bytes = to_bytes - envelope.size_bytes;
        const auto entry = entry_at(envelope.place);
        const std::uint64_t step_after = step_ + Timeline::k_slide_steps;
        slide(static_cast<std::size_t>(entry - stack_.begin()) + 1, static_cast<std::int64_t>(more_bytes));
        step_ = step_after;
        envelope.size_bytes = to_bytes;
        total_bytes_ += more_bytes;
        envelope.unused.push_back({more_bytes});
    }

    void reserve(const Reservation& reservation) {
        Envelope& envelope = envelopes_[reservation.envelope];
        envelope.reserved_bytes += reservation.change_bytes;
        if (!envelope.is_placed || envelope.wanted_bytes(0) == envelope.size_bytes) return;
        grow(envelope, envelope.wanted_bytes(0));
        envelope.draw_unused(step_, polygons_);
    }

    void use(Envelope& envelope, std::uint32_t number, std::uint32_t allocation) {
        const std::uint64_t size_bytes = allocations_.size_bytes[allocation];
        if (!envelope.is_placed) {
            envelope.is_placed = true;
            envelope.offset_bytes = total_bytes_;
            put({.envelope = number}, envelope.place);
        }
        if (envelope.wanted_bytes(size_bytes) > envelope.size_bytes) grow(envelope, envelope.wanted_bytes(size_bytes));
        envelope.use(size_bytes, step_, polygons_);
        polygon_of_[allocation] =
            polygons_.begin(allocations_.row(allocation), step_, envelope.offset_bytes + envelope.active_bytes);
        envelope.stripes.push_back(polygon_of_[allocation]);
        envelope.active_bytes += size_bytes;
        envelope.draw_unused(step_, polygons_);
        ++step_;
    }

    void add_unused(Envelope& envelope, std::uint32_t allocation) {
        ++step_;
        const std::uint64_t size_bytes = allocations_.size_bytes[allocation];
        const std::uint32_t polygon = polygon_of_[allocation];
        polygons_.end(polygon, step_);
        envelope.active_bytes -= size_bytes;
        const auto above = envelope.stripes.erase(std::ranges::lower_bound(envelope.stripes, polygon));
        if (above == envelope.stripes.end()) {  // no slide: the block becomes the lowest unused piece
            envelope.unused.push_front({size_bytes});
        } else {
            const auto down = -static_cast<std::int64_t>(size_bytes);
            for (auto stripe = above; stripe != envelope.stripes.end(); ++stripe) polygons_.slide(*stripe, step_, down);
            for (const Envelope::Unused& piece : envelope.unused) polygons_.slide(piece.polygon, step_, down);
            step_ += Timeline::k_slide_steps;
            envelope.unused.push_back({size_bytes});
        }
        envelope.draw_unused(step_, polygons_);
    }

    const Snapshot& snapshot_;
    const DeviceTrace& device_;
    const AllocationColumns& allocations_;
    SegmentIndex segments_;
    std::map<std::pair<std::uint16_t, std::uint16_t>, std::uint32_t> numbers_;  ///< index of an envelope by (pool, stream)
    std::vector<Envelope> envelopes_;
    std::vector<std::uint32_t> envelope_of_;  ///< index of an envelope by allocation
    std::vector<std::uint32_t> polygon_of_;   ///< polygon by allocation
    std::vector<Reservation> reservations_;
    std::vector<std::uint32_t> place_of_;  ///< key for entry_at() by allocation, if its block is an entry of the stack
    std::vector<Entry> stack_;
    std::uint32_t next_place_ = 0;
    PoolPolygons polygons_;
    std::uint64_t step_ = 0;
    std::uint64_t total_bytes_ = 0;
};

}  // namespace

std::shared_ptr<const DeviceTrace> collect_pools(const Snapshot& snapshot, const DeviceTrace& device) {
    auto trace = std::make_shared<DeviceTrace>();
    trace->device = device.device;
    trace->part = device.part;
    trace->kind = ViewKind::pools;
    trace->cut_off = device.cut_off;
    trace->events = device.events;
    PoolCollector(snapshot, device).run(*trace);
    return trace;
}

}  // namespace snapviewer
