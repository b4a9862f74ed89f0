#include "core/timeline/collect.h"

#include <algorithm>
#include <map>

#include "core/base/context.h"
#include "core/timeline/pool_layout.h"
#include "core/timeline/timeline.h"
#include "core/trace/segments.h"

namespace snapviewer {
namespace {

using pool_detail::Envelope;
using pool_detail::Polygons;

constexpr std::uint64_t k_most_points = 16U << 20;

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
        place_what_stands();
        std::size_t next = 0;
        const auto reserve_until = [&](std::size_t action) {
            for (; next < reservations_.size() && reservations_[next].actions_before <= action; ++next)
                reserve(reservations_[next]);
        };
        for (std::size_t action = 0; action < device_.actions.size(); ++action) {
            reserve_until(action);
            act(device_.actions[action].value);
            if (polygons_.point_count() > k_most_points) {
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
    void place_what_stands() {
        for (std::uint32_t i = 0; i < device_.initial_count; ++i) {
            const std::uint32_t number = envelope_of_[i];
            if (number == k_none) continue;
            envelopes_[number].active_bytes += allocations_.size_bytes[i];
        }
        std::vector<std::vector<std::uint32_t>> members(envelopes_.size());  // allocations of each envelope, bottom to top
        for (std::uint32_t i = 0; i < device_.initial_count; ++i) {
            const std::uint32_t number = envelope_of_[i];
            if (number == k_none) {
                put({.polygon = i}, place_of_[i]);
            } else {
                if (members[number].empty()) put({.envelope = number}, envelopes_[number].place);
                members[number].push_back(i);
            }
        }
        for (Entry& entry : stack_) {
            if (entry.envelope != k_none) {
                place_envelope(envelopes_[entry.envelope], members[entry.envelope]);
                continue;
            }
            const std::uint32_t allocation = entry.polygon;
            entry.polygon = polygons_.begin(allocations_, allocation, 0, total_bytes_);
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
            polygon_of_[i] = polygons_.begin(allocations_, i, 0, total_bytes_);
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
            begins ? use(envelopes_[number], number, allocation) : give_back(envelopes_[number], allocation);
        }
    }

    void push(std::uint32_t allocation) {
        polygon_of_[allocation] = polygons_.begin(allocations_, allocation, step_, total_bytes_);
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
            polygons_.begin(allocations_, allocation, step_, envelope.offset_bytes + envelope.active_bytes);
        envelope.stripes.push_back(polygon_of_[allocation]);
        envelope.active_bytes += size_bytes;
        envelope.draw_unused(step_, polygons_);
        ++step_;
    }

    void give_back(Envelope& envelope, std::uint32_t allocation) {
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
    Polygons polygons_;
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
