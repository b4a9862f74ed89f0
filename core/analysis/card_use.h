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

/// Reserved memory that does not fit on the card. PyTorch still counts memory that Windows or WSL moved to the host, and
/// memory of a pool that was put to sleep (vLLM's sleep mode, torch_memory_saver).
struct BeyondCard {
    std::uint64_t reserved_bytes = 0;
    std::uint64_t card_bytes = 0;
    std::uint64_t excess_bytes = 0;  ///< Reserved and free memory together, minus the memory of the card
    /// The largest private pools that together account for the excess; empty if all private pools together are smaller.
    std::vector<PrivatePool> pools;
    std::string sentence;
};

/// Returns nullopt if reserved and free memory may both be on the card, within the rounding errors of the figures. `free` is
/// nullopt if it is unknown.
std::optional<BeyondCard> beyond_card(const ToldBytes& reserved, const std::optional<ToldBytes>& free, const ToldBytes& card,
                                      std::vector<PrivatePool> pools);

/// The uses of a card's memory, one for each kind of row in CardUse.
enum class CardPart : std::uint8_t {
    allocated,     ///< Memory in PyTorch's allocated blocks
    pending,       ///< Memory of freed blocks that another stream may still use
    idle,          ///< Memory that PyTorch reserved, but that is in no block
    private_idle,  ///< Idle memory in private pools of CUDA graphs or MemPools, which only their owners can use
    /// Memory of this process outside PyTorch's allocator; all memory of the process if it is unknown how much of PyTorch's
    /// reserved memory is on the card.
    this_process,
    other_processes,  ///< Memory of one other process, or of all other processes together
    free,
    no_process,  ///< Memory in use by no process, such as the driver's own
    unknown,
};
const char* card_part_name(CardPart part);  ///< Returns the name in JSON: "private_idle"

/// A part of a card's memory.
struct CardRow {
    CardPart part = CardPart::unknown;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> pid = {};  ///< Process id of another process, if it is known
    std::string words = {};                 ///< Text for users: "process 4711"
};

/// The use of all memory of a card at one moment. The rows add up to the total exactly.
struct CardUse {
    FiguresSource source = FiguresSource::given;
    std::string where = {};
    std::optional<std::uint32_t> moment = {};  ///< Moment as in AddressSpace, if it is known
    bool is_of_oom = false;
    std::uint64_t total_bytes = 0;
    std::uint64_t rounding_bytes = 0;  ///< Maximum error of the rows that came from rounded figures
    /// Bytes by which the figures exceed the memory of the card. This happens if PyTorch counts memory that is not on the
    /// card, or if the figures are from different moments. The last rows are cut to fit.
    std::uint64_t excess_bytes = 0;
    std::vector<CardRow> rows = {};  ///< Rows in the order of CardPart, without empty rows
    std::vector<std::string> notes = {};

    std::uint64_t bytes_of(CardPart part) const;
    const CardRow* largest(CardPart part) const;  ///< Returns null if no row has this part
};

/// Returns one entry for each of the figures that state the total memory of the card and belong to this device. The moment
/// of an entry is the out-of-memory event that its figures match, otherwise the end. Without such figures, returns one entry
/// from `given_total_bytes`. O(oom events + live).
std::vector<CardUse> card_uses(const AddressSpace& space, std::span<const CardFigures> figures,
                               std::optional<std::uint64_t> given_total_bytes);

/// Returns the use of the card at an out-of-memory event of the device, or nullopt if no figures match it. Prefers figures
/// that list other processes, then exact figures.
std::optional<CardUse> card_use_of_oom(const AddressSpace& space, std::span<const CardFigures> figures, std::uint32_t event);

/// Returns the most that PyTorch was allowed to reserve at an out-of-memory event, if matching figures name a limit
/// (set_per_process_memory_fraction).
std::optional<std::uint64_t> limit_of_oom(const AddressSpace& space, std::span<const CardFigures> figures,
                                          std::uint32_t event);

/// Names the other users of the card for a sentence, for example "process 4711" or "2 other processes". Empty if no other
/// users are known.
std::string other_users_words(const CardUse& use);

}  // namespace snapviewer
