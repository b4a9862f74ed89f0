#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapviewer {

/// An amount of memory that was read from a text, which may have rounded it.
struct ToldBytes {
    std::uint64_t bytes = 0;
    std::uint64_t within_bytes = 0;  ///< Maximum error of `bytes` due to rounding in the text

    bool may_be(std::uint64_t other_bytes) const {
        return (other_bytes > bytes ? other_bytes - bytes : bytes - other_bytes) <= within_bytes;
    }
};

/// A process that uses the card's memory.
struct CardProcess {
    std::uint64_t pid = 0;
    ToldBytes used;
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
    std::optional<ToldBytes> total = {};
    std::optional<ToldBytes> free = {};
    std::optional<ToldBytes> reserved = {};   ///< Memory reserved by PyTorch's allocator
    std::optional<ToldBytes> allocated = {};  ///< Part of `reserved` that is allocated, without idle memory of private pools
    std::optional<ToldBytes> private_idle = {};
    std::optional<ToldBytes> this_process = {};  ///< All memory of this process, including `reserved`
    std::optional<ToldBytes> others = {};        ///< Memory of all other processes together
    std::optional<std::uint64_t> other_count = {};
    std::vector<CardProcess> processes = {};  ///< Processes that are listed one by one, except `this_process`
    std::optional<ToldBytes> demand = {};     ///< Size of the refused request, if memory ran out
    std::optional<ToldBytes> free_then = {};  ///< Free memory according to the driver when the request was refused
    std::optional<ToldBytes> allowed = {};    ///< Limit of the memory that PyTorch may reserve, if one is set
};

/// Returns true if the figures describe the moment at which a request of `demand_bytes` was refused while `free_bytes` were
/// free. Returns false if the free memory is unknown to the figures or to the caller.
bool are_of_oom(const CardFigures& figures, std::uint64_t demand_bytes, std::optional<std::uint64_t> free_bytes);

}  // namespace snapviewer
