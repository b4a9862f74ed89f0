#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapviewer {

/// An amount from a text, which may be rounded.
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

/// The source of figures about a card.
enum class FiguresSource : std::uint8_t {
    recorder,  ///< snapviewer's recorder, in the JSON beside a snapshot
    message,   ///< PyTorch's error when memory ran out
    given,     ///< the user, who says how large the card is
};
const char* figures_source_name(FiguresSource source);  ///< "recorder"

/// Figures about all memory of a device at one moment, from outside of the snapshot. Unknown figures have no value.
struct CardFigures {
    FiguresSource source = FiguresSource::message;
    std::string where = {};   ///< "line 17 of job.log"
    std::string chosen = {};  ///< a sentence: why these of several; empty where there were no others
    std::int32_t device = 0;
    std::optional<std::uint32_t> rank = {};
    std::optional<ToldBytes> total = {};
    std::optional<ToldBytes> free = {};
    std::optional<ToldBytes> reserved = {};   ///< by PyTorch's allocator, like the next two
    std::optional<ToldBytes> allocated = {};  ///< part of `reserved`, without idle memory of private pools
    std::optional<ToldBytes> private_idle = {};
    std::optional<ToldBytes> this_process = {};  ///< all of it, what PyTorch's allocator reserved included
    std::optional<ToldBytes> others = {};        ///< all other processes together
    std::optional<std::uint64_t> other_count = {};
    std::vector<CardProcess> processes = {};  ///< one by one, except `this_process`
    std::optional<ToldBytes> demand = {};     ///< size of the refused request, if memory ran out
    std::optional<ToldBytes> free_then = {};  ///< what the driver had left then
    std::optional<ToldBytes> allowed = {};    ///< the most that PyTorch may reserve, if a limit is set
};

/// True if the figures describe the moment at which a request of `demand_bytes` was refused while `free_bytes` were free.
/// False if the free memory is unknown to the figures or to the caller.
bool are_of_oom(const CardFigures& figures, std::uint64_t demand_bytes, std::optional<std::uint64_t> free_bytes);

}  // namespace snapviewer
