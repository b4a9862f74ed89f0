#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/analysis/address_space.h"

namespace snapviewer {

/// A size that cards are sold by.
struct NominalSize {
    const char* name;         ///< "80 GB"
    std::uint64_t low_bytes;  ///< smallest and largest total that such cards report
    std::uint64_t high_bytes;
    std::uint64_t least_total_bytes;  ///< the smallest such total with room for what was held and for a CUDA context
};

/// What is known of the bytes a device has.
struct Capacity {
    std::optional<std::uint64_t> given_bytes;  ///< by the user
    std::uint64_t bound_bytes = 0;             ///< at least: reserved and free together at some moment
    std::optional<std::uint32_t> bound_event;  ///< when that was; nothing before the first event
    std::uint64_t most_reserved_bytes = 0;
    std::optional<NominalSize> guess;  ///< never more than a guess; none where what was reserved is not known throughout
};

/// O(ranges + ooms).
Capacity capacity_of(const AddressSpace& space, std::optional<std::uint64_t> given_bytes);

}  // namespace snapviewer
