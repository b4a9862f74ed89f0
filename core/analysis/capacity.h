#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/analysis/address_space.h"
#include "core/analysis/card_figures.h"

namespace snapviewer {

/// A nominal memory size in which cards are sold.
struct NominalSize {
    const char* name;         ///< Name for users: "80 GB"
    std::uint64_t low_bytes;  ///< Smallest total memory that cards of this size report
    std::uint64_t high_bytes;
    /// The smallest total of such a card that has room for the held memory and a CUDA context.
    std::uint64_t least_total_bytes;
};

/// The total memory of a card, and the source of this figure.
struct CardSize {
    ToldBytes total;
    FiguresSource source = FiguresSource::given;
};

/// Returns the card's total memory: `given_bytes` if the user stated it, otherwise the most exact total among the figures of
/// this device. Returns nullopt if both are missing.
std::optional<CardSize> known_card_size(std::optional<std::uint64_t> given_bytes, std::span<const CardFigures> figures,
                                        std::int32_t device);

/// The known facts about the memory size of a device's card.
struct Capacity {
    std::optional<CardSize> card;
    /// Lower bound of the card's memory: the largest sum of reserved and free memory at one moment.
    std::uint64_t bound_bytes = 0;
    /// The event after which `bound_bytes` was reached; nullopt if before the first event.
    std::optional<std::uint32_t> bound_event;
    std::uint64_t most_reserved_bytes = 0;
    std::uint32_t most_reserved_moment = 0;  ///< The first moment at which `most_reserved_bytes` were reserved
    /// Estimated nominal size. Set only if the size of the card is unknown, an allocation was refused with a known amount of
    /// free memory, and reserved memory is known throughout.
    std::optional<NominalSize> guess;
};

/// Collects the known facts about the card's memory size; `card` is the result of known_card_size(). O(ranges + events).
Capacity capacity_of(const AddressSpace& space, std::optional<CardSize> card);

}  // namespace snapviewer
