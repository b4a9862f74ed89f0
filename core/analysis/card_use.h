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

/// nullopt if reserved and free memory may both be on the card. `free` is nullopt if it is unknown.
std::optional<BeyondCard> beyond_card(const ToldBytes& reserved, const std::optional<ToldBytes>& free, const ToldBytes& card,
                                      std::vector<PrivatePool> pools);

/// What a piece of a card's memory is used for.
enum class CardPart : std::uint8_t {
    allocated,        ///< by PyTorch, in blocks
    pending,          ///< freed, but another stream may still use it
    idle,             ///< reserved by PyTorch, in no block
    private_idle,     ///< the same in pools of CUDA graphs or MemPools, which nothing else may use
    this_process,     ///< of the process, outside PyTorch's allocator; all of it if how much of PyTorch's is on the card is
                      ///< unknown
    other_processes,  ///< one of them, or all together
    free,
    no_process,  ///< in use, but by none of the processes: the driver's own
    unknown,
};
const char* card_part_name(CardPart part);  ///< "private_idle"

/// A piece of a card's memory.
struct CardRow {
    CardPart part = CardPart::unknown;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> pid = {};  ///< of one other process, where it is told
    std::string words = {};                 ///< "process 4711"
};

/// How all memory of a card was used at one moment: the rows are as much as the card has, to the byte.
struct CardUse {
    FiguresSource source = FiguresSource::given;
    std::string where = {};
    std::optional<std::uint32_t> moment = {};  ///< as in AddressSpace, where it is known
    bool is_of_oom = false;
    std::uint64_t total_bytes = 0;
    std::uint64_t rounding_bytes = 0;  ///< the rows that were told may together be off by so much
    /// The figures add up to so much more than the card has, because PyTorch counts memory that is not on the card, or
    /// because the figures are of different moments and the last rows were cut.
    std::uint64_t excess_bytes = 0;
    std::vector<CardRow> rows = {};  ///< none of them empty, in the order of CardPart
    std::vector<std::string> notes = {};

    std::uint64_t bytes_of(CardPart part) const;
    const CardRow* largest(CardPart part) const;  ///< null where there is none
};

/// One for each of the figures that say how large the card is and are about this device, for the time that memory ran out
/// if they are about that, else for the end. If there are none, one from `given_total_bytes`. O(oom events + live).
std::vector<CardUse> card_uses(const AddressSpace& space, std::span<const CardFigures> figures,
                               std::optional<std::uint64_t> given_total_bytes);

/// The one that is about an oom event of the device, if there is one; those that tell of other processes go first, then the
/// exact ones.
std::optional<CardUse> card_use_of_oom(const AddressSpace& space, std::span<const CardFigures> figures, std::uint32_t event);

/// The most that PyTorch could reserve at an oom event, if the figures name a limit (set_per_process_memory_fraction).
std::optional<std::uint64_t> limit_of_oom(const AddressSpace& space, std::span<const CardFigures> figures,
                                          std::uint32_t event);

/// "process 4711", "2 other processes", as a sentence names who else uses the card; empty where nobody is told of.
std::string other_users_words(const CardUse& use);

}  // namespace snapviewer
