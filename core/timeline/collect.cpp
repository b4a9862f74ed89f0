#include "core/timeline/collect.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/memory.h"

namespace snapviewer {
namespace {

class Collector {
public:
    Collector(Snapshot& snapshot, DeviceTrace& trace)
        : snapshot_(snapshot), trace_(trace), events_(trace.events), found_(trace) {}

    void run() {
        found_.expect(events_.size());
        for (std::uint32_t index = 0; index < events_.size(); ++index) {
            if (index % k_events_between_looks == 0) {
                check_stop();
                prepare_room();
            }
            take_event(index);
        }
        const std::size_t seen_actions = trace_.actions.size();
        const bool breaks_off = trace_.cut_off == CutOff::in_the_events && seen_actions > 0;
        if (breaks_off && !snapshot_.segments.empty()) end_what_is_gone();
        add_standing_blocks();
        trace_.unseen_actions = static_cast<std::uint32_t>(trace_.actions.size() - seen_actions);
        found_.finish();
        report();
    }

private:
    void prepare_room() {
        std::apply([&](const auto&... columns) { growth_.look(columns..., trace_.actions); },
                   AllocationColumns::fields(std::as_const(trace_.allocations)));
    }

    void take_event(std::uint32_t index) {
        const std::uint64_t address = events_.address[index];
        switch (events_.action[index]) {
            case Action::alloc: {
                AllocationRow allocation = row_of(index, Origin::alloc);
                allocation.alloc_event = EventId{index};
                const std::uint32_t number = found_.begin(allocation);
                std::uint32_t& open = open_.find_or_add(address, address_of(), number);
                if (open != number) note(reopened_, first_reopened_, index);
                open = number;
                break;
            }
            case Action::free_requested: {
                const std::uint32_t number = open_.find(address, address_of());
                if (number != HashIndex::k_absent) found_.await_free(number);
                break;
            }
            case Action::free_completed: {
                std::uint32_t number = open_.find(address, address_of());
                if (number != HashIndex::k_absent) {
                    open_.erase(address, address_of());
                } else {
                    number = found_.stands_before(row_of(index, Origin::freed));
                }
                found_.end(number, EventId{index});
                break;
            }
            default: break;
        }
    }

    /// Returns the address of an allocation, the key of open_.
    struct AddressOf {
        const DeviceTrace& trace;
        std::uint64_t operator()(std::uint32_t allocation) const { return trace.allocations.address[allocation]; }
    };
    AddressOf address_of() const { return {trace_}; }

    AllocationRow row_of(std::uint32_t index, Origin origin) const {
        AllocationRow found;
        found.address = events_.address[index];
        found.size_bytes = events_.size_bytes[index];
        found.stream = events_.stream[index];
        found.pool = events_.pool[index];
        found.origin = origin;
        found.stack = events_.stack[index];
        return found;
    }

    /// Calls `visit(address, block, segment)` for each of the device's blocks in use.
    template <typename Visit>
    void for_each_block_in_use(Visit visit) {
        for (const Segment& segment : snapshot_.segments) {
            if (segment.device != trace_.device) continue;
            check_stop();
            std::uint64_t address = segment.address;
            for (std::uint32_t i = 0; i < segment.block_count; ++i) {
                const Block& block = snapshot_.blocks[segment.first_block + i];
                if (block.state != BlockState::inactive) visit(address, block, segment);
                address += block.size_bytes;
            }
        }
    }

    /// Ends allocations that are open after the last event but not in the segments: they were freed in the missing part of
    /// the file. Goes from the top of the picture down, because ending a lower allocation makes all allocations above it
    /// slide.
    void end_what_is_gone() {
        std::vector<bool> is_held(trace_.allocations.size());
        for_each_block_in_use([&](std::uint64_t address, const Block& block, const Segment&) {
            const std::uint32_t number = open_.find(address, address_of());
            if (number != HashIndex::k_absent && trace_.allocations.size_bytes[number] == block.requested_bytes)
                is_held[number] = true;
        });
        for (auto number = static_cast<std::uint32_t>(is_held.size()); number-- > 0;) {
            const std::uint64_t address = trace_.allocations.address[number];
            if (is_held[number] || open_.find(address, address_of()) != number) continue;
            open_.erase(address, address_of());
            found_.end(number, EventId::none());
        }
    }

    /// Adds allocations for blocks in use that no event mentions, and completes the stacks and states of the others.
    void add_standing_blocks() {
        for_each_block_in_use([&](std::uint64_t address, const Block& block, const Segment& segment) {
            std::uint32_t number = open_.find(address, address_of());
            if (number == HashIndex::k_absent) {
                number = add_standing(address, block, segment);
            } else {
                found_.complete_stack(number, block.stack);  // recordings with context="state" have stacks of blocks only
            }
            if (block.state == BlockState::active_pending_free) found_.await_free(number);
        });
    }

    std::uint32_t add_standing(std::uint64_t address, const Block& block, const Segment& segment) {
        AllocationRow found;
        found.address = address;
        found.size_bytes = block.requested_bytes;
        found.stream = segment.stream;
        found.pool = segment.pool;
        found.stack = block.stack;
        return found_.stands_at_the_end(found);
    }

    static void note(std::uint64_t& count, std::uint32_t& first, std::uint32_t index) {
        if (count++ == 0) first = index;
    }

    void report() {
        const std::string device = " on device " + std::to_string(trace_.device);
        const auto freed = std::ranges::count(trace_.allocations.origin, Origin::freed);
        const auto standing = std::ranges::count(trace_.allocations.origin, Origin::standing);
        const auto unplaced = std::ranges::count(trace_.allocations.origin, Origin::unplaced);
        if (freed > 0) {
            snapshot_.log.add(
                ImportCode::freed_before_seen,
                "allocations from before the recording, known only from their free; the stack shown is that of the free", {},
                static_cast<std::uint64_t>(freed));
        }
        if (standing > 0) {
            snapshot_.log.add(ImportCode::standing_blocks,
                              "allocations that no recorded event mentions, taken from the segments", {},
                              static_cast<std::uint64_t>(standing));
        }
        if (unplaced > 0) {
            snapshot_.log.add(ImportCode::unplaced_blocks,
                              "allocations in the segments that no event before the cut allocates", {},
                              static_cast<std::uint64_t>(unplaced));
        }
        if (reopened_ > 0) {
            snapshot_.log.add(ImportCode::alloc_on_open_address,
                              "an allocation started at an address that was never freed, so events are missing; the older "
                              "one stays in the picture to the end (first at event " +
                                  std::to_string(first_reopened_) + device + ")",
                              {}, reopened_);
        }
    }

    Snapshot& snapshot_;
    DeviceTrace& trace_;
    const EventColumns& events_;
    DrawingOrder found_;
    GrowthAhead<10> growth_;
    HashIndex open_;  ///< allocations that are open, by address
    std::uint64_t reopened_ = 0;
    std::uint32_t first_reopened_ = 0;
};

}  // namespace

void collect_allocations(Snapshot& snapshot, DeviceTrace& trace) { Collector(snapshot, trace).run(); }

void DrawingOrder::finish() {
    const auto count = static_cast<std::uint32_t>(standing_.size());
    if (count == 0) return;
    const bool is_all = trace_.actions.empty();
    for (AllocationId& id : trace_.actions)
        id = AllocationId{stands(id.value) ? count - 1 - (k_last_number - id.value) : id.value + count};
    trace_.allocations.insert_reversed(standing_);
    trace_.initial_count = is_all ? count - 1 : count;
    if (is_all) trace_.actions.push_back(AllocationId{count - 1});
}

}  // namespace snapviewer
