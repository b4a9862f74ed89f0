#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/analysis/address_space.h"
#include "core/analysis/card_figures.h"

namespace snapviewer {

/// A size that cards are sold by.
struct NominalSize {
    const char* name;         ///< "80 GB"
    std::uint64_t low_bytes;  ///< smallest and largest total that such cards report
    std::uint64_t high_bytes;
    std::uint64_t least_total_bytes;  ///< the smallest such total with room for what was held and for a CUDA context
};

/// The size of a card, and where it is known from.
struct CardSize {
    ToldBytes total;
    FiguresSource source = FiguresSource::given;
};

/// The user's answer counts first, then the most exact of the figures that are about the device. nullopt if both are
/// missing.
std::optional<CardSize> known_card_size(std::optional<std::uint64_t> given_bytes, std::span<const CardFigures> figures,
                                        std::int32_t device);

/// What is known of the bytes a device has.
struct Capacity {
    std::optional<CardSize> card;
    std::uint64_t bound_bytes = 0;             ///< at least: reserved and free together at some moment
    std::optional<std::uint32_t> bound_event;  ///< when that was; nothing before the first event
    std::uint64_t most_reserved_bytes = 0;
    std::uint32_t most_reserved_moment = 0;  ///< the first such moment
    /// Only if the card is unknown, an allocation was refused with a known amount free, and what was reserved is known
    /// throughout.
    std::optional<NominalSize> guess;
};

/// O(ranges + events).
Capacity capacity_of(const AddressSpace& space, std::optional<CardSize> card);

}  // namespace snapviewer
