#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/address_space.h"
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

/// Returns nullopt if reserved and free memory may both be on the card. `free` is nullopt if it is unknown.
std::optional<BeyondCard> beyond_card(const ToldBytes& reserved, const std::optional<ToldBytes>& free, const ToldBytes& card,
                                      std::vector<PrivatePool> pools);

/// Uses of a card's memory.
enum class CardPart : std::uint8_t {
    allocated,     ///< in blocks of PyTorch
    pending,       ///< freed, but another stream may still use it
    idle,          ///< reserved by PyTorch, in no block
    private_idle,  ///< idle memory in pools of CUDA graphs or MemPools, which only these can use
    /// memory of the process outside PyTorch's allocator; all its memory if the part of PyTorch on the card is unknown
    this_process,
    other_processes,  ///< one of the other processes, or all together
    free,
    no_process,  ///< in use, but by none of the processes: the driver's own
    unknown,
};
const char* card_part_name(CardPart part);  ///< "private_idle"

/// A part of a card's memory.
struct CardRow {
    CardPart part = CardPart::unknown;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> pid = {};  ///< process id of another process, if it is known
    std::string words = {};                 ///< "process 4711"
};

/// How all memory of a card was used at one moment. The rows add up to the total exactly.
struct CardUse {
    FiguresSource source = FiguresSource::given;
    std::string where = {};
    std::optional<std::uint32_t> moment = {};  ///< a moment of AddressSpace, if it is known
    bool is_of_oom = false;
    std::uint64_t total_bytes = 0;
    std::uint64_t rounding_bytes = 0;  ///< maximum error of the rows that came from rounded figures
    /// The figures exceed the card by this much, because PyTorch counts memory that is not on the card, or because the
    /// figures are from different moments. The last rows are cut to fit.
    std::uint64_t excess_bytes = 0;
    std::vector<CardRow> rows = {};  ///< in the order of CardPart; no row is empty
    std::vector<std::string> notes = {};

    std::uint64_t bytes_of(CardPart part) const;
    const CardRow* largest(CardPart part) const;  ///< null if no row has this part
};

/// One entry for each of the figures that state the size of the card and belong to this device. Its moment is the oom event
/// that the figures match, otherwise the end. If there are no such figures, one entry from `given_total_bytes`. O(oom events
/// + live).
std::vector<CardUse> card_uses(const AddressSpace& space, std::span<const CardFigures> figures,
                               std::optional<std::uint64_t> given_total_bytes);

/// The use of the card at an oom event of the device, or nullopt. Figures that list other processes are preferred, then
/// exact figures.
std::optional<CardUse> card_use_of_oom(const AddressSpace& space, std::span<const CardFigures> figures, std::uint32_t event);

/// The most that PyTorch could reserve at an oom event, if the figures name a limit (set_per_process_memory_fraction).
std::optional<std::uint64_t> limit_of_oom(const AddressSpace& space, std::span<const CardFigures> figures,
                                          std::uint32_t event);

/// "process 4711" or "2 other processes", to name the other users of the card in a sentence; empty if none are known.
std::string other_users_words(const CardUse& use);

}  // namespace snapviewer
