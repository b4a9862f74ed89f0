#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/analysis/address_space.h"
#include "core/analysis/card_figures.h"

namespace snapviewer {

/// A nominal size in which cards are sold.
struct NominalSize {
    const char* name;         ///< "80 GB"
    std::uint64_t low_bytes;  ///< smallest and largest total that cards of this size report
    std::uint64_t high_bytes;
    std::uint64_t least_total_bytes;  ///< the smallest of these totals with room for the held bytes and a CUDA context
};

/// The size of a card, and its source.
struct CardSize {
    ToldBytes total;
    FiguresSource source = FiguresSource::given;
};

/// Returns `given_bytes` if the user gave a size, otherwise the most exact total among the figures of this device. nullopt
/// if both are missing.
std::optional<CardSize> known_card_size(std::optional<std::uint64_t> given_bytes, std::span<const CardFigures> figures,
                                        std::int32_t device);

/// The known facts about the size of a device's memory.
struct Capacity {
    std::optional<CardSize> card;
    std::uint64_t bound_bytes = 0;             ///< lower bound: the largest sum of reserved and free memory at one moment
    std::optional<std::uint32_t> bound_event;  ///< the event after which it was reached; nullopt before the first event
    std::uint64_t most_reserved_bytes = 0;
    std::uint32_t most_reserved_moment = 0;  ///< the first moment with that value
    /// A guess at the nominal size. Set only if the size of the card is unknown, an allocation was refused with a known
    /// amount of free memory, and reserved memory is known throughout.
    std::optional<NominalSize> guess;
};

/// O(ranges + events).
Capacity capacity_of(const AddressSpace& space, std::optional<CardSize> card);

}  // namespace snapviewer
