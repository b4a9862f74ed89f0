#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/address_space.h"
#include "core/analysis/card_figures.h"

namespace snapviewer {

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
