#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapviewer {

/// An amount as somebody told it.
struct ToldBytes {
    std::uint64_t bytes = 0;
    std::uint64_t within_bytes = 0;  ///< the real amount is at most so far away: texts round

    bool may_be(std::uint64_t other_bytes) const {
        return (other_bytes > bytes ? other_bytes - bytes : bytes - other_bytes) <= within_bytes;
    }
};

/// A process that uses a card.
struct CardProcess {
    std::uint64_t pid = 0;
    ToldBytes used;
};

/// Who told how the memory of a card is used.
enum class FiguresSource : std::uint8_t {
    recorder,  ///< snapviewer's recorder, in the JSON beside a snapshot
    message,   ///< PyTorch's error when memory ran out
    given,     ///< the user, who says how large the card is
};
const char* figures_source_name(FiguresSource source);  ///< "recorder"

/// What somebody outside a snapshot told of all memory of a device at one moment. What is not told has no value.
struct CardFigures {
    FiguresSource source = FiguresSource::message;
    std::string where = {};   ///< "line 17 of job.log"
    std::string chosen = {};  ///< a sentence: why these of several; empty where there were no others
    std::int32_t device = 0;
    std::optional<std::uint32_t> rank = {};
    std::optional<ToldBytes> total = {};
    std::optional<ToldBytes> free = {};
    std::optional<ToldBytes> reserved = {};   ///< by PyTorch's allocator, like the next two
    std::optional<ToldBytes> allocated = {};  ///< of that, without what is idle in private pools
    std::optional<ToldBytes> private_idle = {};
    std::optional<ToldBytes> this_process = {};  ///< all of it, what PyTorch's allocator reserved included
    std::optional<ToldBytes> others = {};        ///< all other processes together
    std::optional<std::uint64_t> other_count = {};
    std::vector<CardProcess> processes = {};  ///< one by one, except `this_process`
    std::optional<ToldBytes> demand = {};     ///< what was refused, where memory ran out
    std::optional<ToldBytes> free_then = {};  ///< what the driver had left then
    std::optional<ToldBytes> allowed = {};    ///< the most that PyTorch may reserve, if a limit is set
};

/// Whether the figures describe the moment when a request of `demand_bytes` was refused with `free_bytes` free. False if the
/// figures or the caller do not know what was free.
bool are_of_oom(const CardFigures& figures, std::uint64_t demand_bytes, std::optional<std::uint64_t> free_bytes);

}  // namespace snapviewer
