#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/capacity.h"
#include "core/analysis/card_use.h"
#include "core/analysis/holders.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Why a request was refused.
enum class OomCause : std::uint8_t {
    unknown,        ///< the reserved or the free memory at that moment is unknown
    limit,          ///< a limit of PyTorch refused it, or the device was not full
    too_large,      ///< larger than all memory of the device
    pending,        ///< freed, but other streams could still use it
    private_pools,  ///< idle in pools of CUDA graphs or MemPools
    unreleased,     ///< idle in segments without any block
    fragmentation,  ///< idle, but in pieces
    outside,        ///< held outside PyTorch's allocator
    mixed,          ///< several of these causes, none of which suffices alone
    capacity,       ///< live memory fills the device
};
const char* oom_cause_name(OomCause cause);  ///< "private_pools"

/// A cause that held back memory at an oom event.
struct OomFactor {
    OomCause cause = OomCause::unknown;
    std::uint64_t bytes = 0;
    bool would_fit = false;  ///< the request would have succeeded without this cause
};

/// The allocator settings that matter to a verdict.
struct OomSettings {
    bool expandable_segments = false;
    double max_split_size = -1;
    double garbage_collection_threshold = 0;
};

/// Why memory ran out at one event, with all measurements. Sizes are those of blocks, except `requested` and `demand`.
struct OomVerdict {
    std::uint32_t event = 0;  ///< event number on the device
    OomCause cause = OomCause::unknown;
    std::uint64_t demand = 0;
    std::uint64_t driver_bytes = 0;            ///< bytes that PyTorch asked the driver for
    std::optional<std::uint64_t> device_free;  ///< nullopt if the file does not say
    std::uint64_t reserved = 0;
    std::uint64_t allocated = 0;
    std::uint64_t requested = 0;  ///< the part of `allocated` that the program requested
    std::uint64_t pending = 0;
    std::map<std::uint64_t, std::uint64_t> pending_by_stream;  ///< raw handle of the stream
    std::uint64_t idle = 0;
    std::uint64_t idle_default = 0;
    std::uint64_t idle_private = 0;
    std::uint64_t idle_whole_segments = 0;  ///< of the default pool
    std::uint64_t idle_other_streams = 0;   ///< of the default pool
    std::uint64_t largest_hole = 0;
    std::uint64_t largest_usable_hole = 0;  ///< in the pool, stream and size class of the request
    std::uint64_t largest_hole_without_pending = 0;
    std::optional<std::int64_t> outside;       ///< held outside the allocator; negative if the given total is too small
    bool outside_is_bound = false;             ///< `outside` is a lower bound
    std::optional<std::uint64_t> card_bytes;   ///< the size of the card, if it is known
    std::optional<BeyondCard> beyond;          ///< set if PyTorch counts more memory than the card has
    std::optional<std::uint64_t> limit_bytes;  ///< the most that PyTorch may reserve, if the log or the recorder says so
    bool is_recovered = false;                 ///< the run continued after it
    std::optional<CardUse> card;               ///< the use of the rest of the card, if a log or the recorder reported it
    std::vector<OomFactor> contributing;
    std::vector<SourceBytes> largest_sources;
    OomSettings settings;
    bool lists_segments = false;  ///< the file lists segments of the device
    std::string stack_source;     ///< the source line that made the request
    std::string sentence;
    std::string hint;  ///< empty if there is no advice
    /// The request would fit if idle pieces of memory could be joined, as in expandable segments, which are off. The hint is
    /// then expandable_hint().
    bool is_helped_by_joining = false;
};

/// Reserved memory that came close to the size of the device, although it never ran out.
struct NearCapacity {
    std::uint64_t reserved_bytes = 0;
    CardSize card;
    std::string sentence;
};

/// Everything about running out of memory on a device.
struct OomReport {
    std::vector<OomVerdict> verdicts;  ///< one for each oom event; only the last ones if there are too many
    std::size_t earlier_count = 0;     ///< number of earlier oom events without a verdict, to limit the cost of an answer
    std::optional<NearCapacity> near_capacity;
    std::optional<BeyondCard> beyond;  ///< at the moment with most reserved memory, or at the end if only that is known
    std::uint32_t beyond_moment = 0;
    Capacity capacity;
};

/// Throws a Failure only when stopped. O(ranges + ooms * live log live). `device_total_bytes` is the size of
/// the device according to the user, `figures` are facts about the card from logs and the recorder.
OomReport oom_report(const Timeline& timeline, const StackLines& lines, const AddressSpace& space,
                     std::optional<std::uint64_t> device_total_bytes, std::span<const CardFigures> figures);

/// Fills sentence and hint from the numbers.
void put_into_words(OomVerdict& verdict);

}  // namespace snapviewer
