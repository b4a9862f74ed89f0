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
    too_large,      ///< more than everything there is
    pending,        ///< freed, but other streams could still use it
    private_pools,  ///< idle in pools of CUDA graphs or MemPools
    unreleased,     ///< idle in segments that nobody uses
    fragmentation,  ///< idle, but in pieces
    outside,        ///< held outside PyTorch's allocator
    mixed,          ///< several of these, none alone
    capacity,       ///< live memory fills the device
};
const char* oom_cause_name(OomCause cause);  ///< "private_pools"

/// Something that held back memory when it ran out.
struct OomFactor {
    OomCause cause = OomCause::unknown;
    std::uint64_t bytes = 0;
    bool would_fit = false;  ///< the request would have been served without it
};

/// What of an allocator's settings matters to a verdict.
struct OomSettings {
    bool expandable_segments = false;
    double max_split_size = -1;
    double garbage_collection_threshold = 0;
};

/// Why memory ran out at one event, with all that was looked at. Bytes of blocks, but `requested` and `demand`.
struct OomVerdict {
    std::uint32_t event = 0;  ///< of the device
    OomCause cause = OomCause::unknown;
    std::uint64_t demand = 0;
    std::uint64_t driver_bytes = 0;            ///< what the driver was asked for
    std::optional<std::uint64_t> device_free;  ///< nullopt if the file does not say
    std::uint64_t reserved = 0;
    std::uint64_t allocated = 0;
    std::uint64_t requested = 0;  ///< of what is allocated
    std::uint64_t pending = 0;
    std::map<std::uint64_t, std::uint64_t> pending_by_stream;  ///< raw handle of the stream
    std::uint64_t idle = 0;
    std::uint64_t idle_default = 0;
    std::uint64_t idle_private = 0;
    std::uint64_t idle_whole_segments = 0;  ///< of the default pool
    std::uint64_t idle_other_streams = 0;   ///< of the default pool
    std::uint64_t largest_hole = 0;
    std::uint64_t largest_usable_hole = 0;  ///< of the pool, stream and size class of the request
    std::uint64_t largest_hole_without_pending = 0;
    std::optional<std::int64_t> outside;       ///< held outside the allocator; below 0 where the given total is too small
    bool outside_is_bound = false;             ///< it may be more
    std::optional<std::uint64_t> card_bytes;   ///< the size of the card, if it is known
    std::optional<BeyondCard> beyond;          ///< if PyTorch counts more than the card has
    std::optional<std::uint64_t> limit_bytes;  ///< the most that PyTorch may reserve, if the log or the recorder says so
    bool is_recovered = false;                 ///< the run went on after it
    std::optional<CardUse> card;               ///< who used the rest of the card, where that was told
    std::vector<OomFactor> contributing;
    std::vector<SourceBytes> largest_sources;
    OomSettings settings;
    bool lists_segments = false;  ///< the file does, of the device
    std::string stack_source;     ///< the line that asked
    std::string sentence;
    std::string hint;  ///< empty: there is nothing to advise
    /// The request would fit if idle pieces of memory could join, as in expandable segments, which are off. The hint is then
    /// expandable_hint().
    bool is_helped_by_joining = false;
};

/// Reserved memory that comes near to what the device has, though it never ran out.
struct NearCapacity {
    std::uint64_t reserved_bytes = 0;
    CardSize card;
    std::string sentence;
};

/// Everything about running out of memory on a device.
struct OomReport {
    std::vector<OomVerdict> verdicts;  ///< one for each oom event; of very many the last ones
    std::size_t earlier_count = 0;     ///< of those that were left out, as an answer may cost no more
    std::optional<NearCapacity> near_capacity;
    std::optional<BeyondCard> beyond;  ///< when most was reserved, or at the end if only that is known
    std::uint32_t beyond_moment = 0;
    Capacity capacity;
};

/// Fails only when stopped; `progress` may be null. O(ranges + ooms * live log live). `device_total_bytes` is what the user
/// says that the device has, `figures` what others told of it.
Result<OomReport> oom_report(const Timeline& timeline, const StackLines& lines, const AddressSpace& space,
                             std::optional<std::uint64_t> device_total_bytes, std::span<const CardFigures> figures,
                             const Progress* progress);

/// Fills sentence and hint from the numbers.
void put_into_words(OomVerdict& verdict);

}  // namespace snapviewer
