#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace snapviewer {

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

}  // namespace snapviewer
