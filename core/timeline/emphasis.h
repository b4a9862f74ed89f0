#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// How many allocations, and their sizes together.
struct LiveShare {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    bool operator==(const LiveShare&) const = default;
};

/// Which allocations of one device stand out from the others: one bit each. What a search, a stack or any other choice
/// comes to; the picture greys the rest by colour alone, so that no geometry is touched.
class Emphasis {
public:
    /// Nothing stands out.
    explicit Emphasis(std::size_t allocation_count = 0) : bits_(allocation_count) {}

    /// Everything for which `chosen(id)` holds.
    template <typename Chosen>
    static Emphasis where(std::size_t allocation_count, Chosen chosen) {
        Emphasis emphasis(allocation_count);
        for (std::uint32_t i = 0; i < allocation_count; ++i) {
            if (!chosen(AllocationId{i})) continue;
            emphasis.bits_[i] = true;
            ++emphasis.count_;
        }
        return emphasis;
    }

    bool contains(AllocationId id) const { return bits_[id.value]; }
    std::size_t count() const { return count_; }
    std::size_t allocation_count() const { return bits_.size(); }

    /// The next one that stands out, in drawing order, and from the last on to the first; from none(), the first. nullopt
    /// where nothing stands out. O(allocations).
    std::optional<AllocationId> next(AllocationId from) const;
    /// Likewise backwards; from none(), the last.
    std::optional<AllocationId> previous(AllocationId from) const;

    /// What of it is alive once a tick's change is made. Microseconds.
    LiveShare live_at(const Timeline& timeline, std::uint32_t tick) const;

private:
    std::vector<bool> bits_;
    std::size_t count_ = 0;
};

/// All allocations that a stack made; k_before_recording and none() for those without one.
Emphasis emphasise_stack(const Timeline& timeline, StackId stack);

}  // namespace snapviewer
