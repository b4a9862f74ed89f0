#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/space/address_space.h"
#include "core/analysis/space/holes.h"
#include "core/base/result.h"

namespace snapviewer::oom {

/// An amount of memory that was read from a text, which may have rounded it.
struct RoundedBytes {
    std::uint64_t bytes = 0;
    std::uint64_t max_error_bytes = 0;  ///< Maximum error of `bytes` due to rounding in the text

    bool may_be(std::uint64_t other_bytes) const {
        return (other_bytes > bytes ? other_bytes - bytes : bytes - other_bytes) <= max_error_bytes;
    }
};

/// A process that uses the card's memory.
struct CardProcess {
    std::uint64_t pid = 0;
    RoundedBytes used;
};

/// The source of figures about a card's memory.
enum class FiguresSource : std::uint8_t {
    recorder,  ///< The JSON file that snapviewer's recorder writes beside a snapshot
    message,   ///< PyTorch's error message when memory ran out
    given,     ///< The user, who states the total memory of the card
};
const char* figures_source_name(FiguresSource source);  ///< Returns the name in JSON: "recorder"

/// Figures about the whole memory of a card at one moment, from a source other than the snapshot. Unknown figures are
/// nullopt.
struct CardFigures {
    FiguresSource source = FiguresSource::message;
    std::string where = {};  ///< File and line of the figures: "line 17 of job.log"
    /// A sentence that says why these figures were chosen among several; empty if there was no choice.
    std::string chosen = {};
    std::int32_t device = 0;
    std::optional<std::uint32_t> rank = {};
    std::optional<RoundedBytes> total = {};
    std::optional<RoundedBytes> free = {};
    std::optional<RoundedBytes> reserved = {};  ///< Memory reserved by PyTorch's allocator
    std::optional<RoundedBytes> allocated =
        {};  ///< Part of `reserved` that is allocated, without idle memory of private pools
    std::optional<RoundedBytes> private_idle = {};
    std::optional<RoundedBytes> this_process = {};  ///< All memory of this process, including `reserved`
    std::optional<RoundedBytes> others = {};        ///< Memory of all other processes together
    std::optional<std::uint64_t> other_count = {};
    std::vector<CardProcess> processes = {};       ///< Processes that are listed one by one, except `this_process`
    std::optional<RoundedBytes> demand = {};       ///< Size of the refused request, if memory ran out
    std::optional<RoundedBytes> free_at_oom = {};  ///< Free memory according to the driver when the request was refused
    std::optional<RoundedBytes> allowed = {};      ///< Limit of the memory that PyTorch may reserve, if one is set
};

/// Returns true if the figures describe the moment at which a request of `demand_bytes` was refused while `free_bytes` were
/// free. Returns false if the free memory is unknown to the figures or to the caller.
bool are_of_oom(const CardFigures& figures, std::uint64_t demand_bytes, std::optional<std::uint64_t> free_bytes);

/// Maximum size in bytes of the JSON file that snapviewer's recorder writes beside a snapshot.
inline constexpr std::uint64_t k_max_recorder_facts_bytes = 1 << 20;

/// Parses the JSON file that the recorder writes beside a snapshot (see docs/record.md) and returns its facts about the
/// card's memory. Facts that the recorder could not find out are unset. Returns an error if the text was not written by the
/// recorder.
Result<CardFigures> read_recorder_facts(std::string_view json);

/// Words of PyTorch's out-of-memory error that are the same in every version. They locate the message in a log.
inline constexpr std::string_view k_oom_words = "out of memory. Tried to allocate ";

/// Maximum number of bytes of a message that are read, from k_oom_words on. A message is long because it lists each process
/// on the card.
inline constexpr std::size_t k_max_oom_message = 16384;

/// Parses PyTorch's out-of-memory error, from k_oom_words on, as written by PyTorch 1.0 to 2.15 for CUDA, ROCm, XPU and
/// Ascend. Lines may be broken anywhere. A truncated message yields the values before its end. Returns nullopt unless the
/// text names at least the device, its total and its free memory.
///
/// PyTorch's "allocated in private pools" are the free blocks of these pools. PyTorch counts them as allocated because other
/// requests cannot use them. Here they are `private_idle` and not part of `allocated`.
std::optional<CardFigures> read_oom_message(std::string_view text);

/// The last message in a text, for a text that the user pasted. nullopt if the text contains no message. O(text).
std::optional<CardFigures> last_oom_message(std::string_view text);

/// The rank number that a log line has before the message: "[rank3]: ", "[default3]:" (torchrun) or "3: " (srun). nullopt if
/// there is none.
std::optional<std::uint32_t> rank_before_message(std::string_view line);

/// A nominal memory size in which cards are sold.
struct NominalSize {
    const char* name;         ///< Name for users: "80 GB"
    std::uint64_t low_bytes;  ///< Smallest total memory that cards of this size report
    std::uint64_t high_bytes;
    /// The smallest total of such a card that has room for the held memory and a CUDA context.
    std::uint64_t min_total_bytes;
};

/// The total memory of a card, and the source of this figure.
struct CardSize {
    RoundedBytes total;
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
    std::uint64_t max_reserved_bytes = 0;
    std::uint32_t max_reserved_moment = 0;  ///< The first moment at which `max_reserved_bytes` were reserved
    /// Estimated nominal size. Set only if the size of the card is unknown, an allocation was refused with a known amount of
    /// free memory, and reserved memory is known throughout.
    std::optional<NominalSize> guess;
};

/// Collects the known facts about the card's memory size; `card` is the result of known_card_size(). O(ranges + events).
Capacity capacity_of(const space::AddressSpace& space, std::optional<CardSize> card);

/// Reserved memory that does not fit on the card. PyTorch still counts memory that Windows or WSL moved to the host, and
/// memory of a pool that was put to sleep (vLLM's sleep mode, torch_memory_saver).
struct BeyondCard {
    std::uint64_t reserved_bytes = 0;
    std::uint64_t card_bytes = 0;
    std::uint64_t excess_bytes = 0;  ///< Reserved and free memory together, minus the memory of the card
    /// The largest private pools that together account for the excess; empty if all private pools together are smaller.
    std::vector<space::PoolHolding> pools;
    std::string sentence;
};

/// Returns nullopt if reserved and free memory may both be on the card, within the rounding errors of the figures. `free` is
/// nullopt if it is unknown.
std::optional<BeyondCard> beyond_card(const RoundedBytes& reserved, const std::optional<RoundedBytes>& free,
                                      const RoundedBytes& card, std::vector<space::PoolHolding> pools);

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
std::vector<CardUse> card_uses(const space::AddressSpace& space, std::span<const CardFigures> figures,
                               std::optional<std::uint64_t> given_total_bytes);

/// Returns the use of the card at an out-of-memory event of the device, or nullopt if no figures match it. Prefers figures
/// that list other processes, then exact figures.
std::optional<CardUse> card_use_of_oom(const space::AddressSpace& space, std::span<const CardFigures> figures,
                                       std::uint32_t event);

/// Returns the most that PyTorch was allowed to reserve at an out-of-memory event, if matching figures name a limit
/// (set_per_process_memory_fraction).
std::optional<std::uint64_t> limit_of_oom(const space::AddressSpace& space, std::span<const CardFigures> figures,
                                          std::uint32_t event);

/// Names the other users of the card for a sentence, for example "process 4711" or "2 other processes". Empty if no other
/// users are known.
std::string other_users_words(const CardUse& use);

}  // namespace snapviewer::oom
