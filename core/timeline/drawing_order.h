#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Takes allocations in the order in which a trace reveals them and puts them in drawing order, as memory_viz does.
class DrawingOrder {
public:
    /// So many actions are to come, and half as many allocations: room that is not used costs addresses, not memory.
    void expect(std::size_t actions) {
        found_.reserve(actions / 2);
        actions_.reserve(actions);
    }
    /// Its number, for the calls below.
    std::uint32_t add(const AllocationRow& allocation) {
        found_.push_back(allocation);
        return static_cast<std::uint32_t>(found_.size() - 1);
    }
    AllocationRow& operator[](std::uint32_t number) { return found_[number]; }

    /// It begins or, mentioned before, ends here.
    void act(std::uint32_t number) { actions_.push_back(number); }
    /// It was there before the first event; the last one so marked is drawn lowest.
    void stands_before(std::uint32_t number) { before_first_event_.push_back(number); }

    /// Fills allocations, initial_count and actions. Without any action the topmost of what stands becomes one, so that
    /// there is a picture of one step. Call once.
    void write(DeviceTrace& trace);

private:
    std::vector<AllocationRow> found_;
    std::vector<std::uint32_t> actions_;
    std::vector<std::uint32_t> before_first_event_;
};

}  // namespace snapviewer
