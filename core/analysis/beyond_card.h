#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/card_figures.h"
#include "core/analysis/pins.h"

namespace snapviewer {

/// Reserved memory for which the card is too small. PyTorch still counts memory that Windows or WSL moved to the host, and
/// memory of a pool that was put to sleep (vLLM's sleep mode, torch_memory_saver).
struct BeyondCard {
    std::uint64_t reserved_bytes = 0;
    std::uint64_t card_bytes = 0;
    std::uint64_t excess_bytes = 0;  ///< reserved and free memory together, less the size of the card
    std::vector<PrivatePool> pools;  ///< the largest private pools that account for the excess; empty if all are too small
    std::string sentence;
};

/// nullopt if reserved and free memory may both be on the card. `free` is nullopt if it is unknown.
std::optional<BeyondCard> beyond_card(const ToldBytes& reserved, const std::optional<ToldBytes>& free, const ToldBytes& card,
                                      std::vector<PrivatePool> pools);

}  // namespace snapviewer
