#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/oom/card_use.h"
#include "core/analysis/stacks/stack_groups.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer::oom {

/// The result of a replay with expandable segments, from one start.
struct ExpandableRun {
    std::uint64_t recorded_peak_bytes = 0;  ///< Peak of the reserved memory under the recorded settings
    std::uint64_t peak_bytes = 0;           ///< Peak of the reserved memory with expandable segments
    /// Reserved bytes after each request that failed in the recording, by event of the request. Contains only requests that
    /// the replay serves.
    std::map<std::uint32_t, std::uint64_t> reserved_with_request;
};

/// The effect of turning on expandable segments, according to a replay.
struct ExpandableGain {
    bool has_events = false;  ///< False if the recording has no events to replay
    /// Result of each of the two starts of a replay; nullopt if there is no answer
    std::optional<std::array<ExpandableRun, 2>> by_start;
};

/// Computes the effect of expandable segments. The analyses get this function from outside, because the replay is a library
/// on top of them: gain_of_expandable_segments(). Calls `is_over` every few milliseconds, from several threads. If it
/// returns true, the result has no answer. Throws a Failure only when stopped.
using FindExpandableGain = ExpandableGain(const Snapshot& snapshot, const DeviceTrace& trace,
                                          const std::function<bool()>& is_over);

/// Advice to turn on expandable segments, for a recording in which they are off. Promises a lower peak of reserved memory
/// only if the replay lowers it by 2 % from both starts. Empty if it does so from neither start.
std::string expandable_hint(const ExpandableGain& gain);

/// Advice for the request that failed at `event`. The request counts as served only if the replay needs 2 % less reserved
/// memory than `needed_bytes`, the need under the recorded settings.
std::string expandable_hint(const ExpandableGain& gain, std::uint32_t event, std::uint64_t needed_bytes);

/// Why a request was refused.
enum class OomCause : std::uint8_t {
    unknown,        ///< the reserved memory or the free memory at that moment is unknown
    limit,          ///< the request was refused by a limit of PyTorch, or although the device was not full
    too_large,      ///< the request is larger than all memory of the device
    pending,        ///< too much memory that was freed but that other streams could still use
    private_pools,  ///< idle memory in private pools of CUDA graphs or MemPools
    unreleased,     ///< idle memory in segments without any block
    fragmentation,  ///< idle memory in pieces that are too small
    outside,        ///< memory held outside PyTorch's allocator
    mixed,          ///< several causes, none of which suffices alone
    capacity,       ///< a device filled by live memory
};
const char* oom_cause_name(OomCause cause);  ///< Identifier for JSON and SQL, such as "private_pools"

/// A cause that held back memory at an oom event.
struct OomFactor {
    OomCause cause = OomCause::unknown;
    std::uint64_t bytes = 0;
    bool is_sufficient_cause = false;  ///< True if the request would have succeeded without this cause
};

/// The allocator settings that matter to a verdict.
struct OomSettings {
    bool expandable_segments = false;
    double max_split_size = -1;
    double garbage_collection_threshold = 0;
};

/// Why memory ran out at one event, with all measurements. Sizes are those of blocks, except `requested` and `demand`.
struct OomVerdict {
    std::uint32_t event = 0;  ///< Event number on the device
    OomCause cause = OomCause::unknown;
    std::uint64_t demand = 0;
    std::uint64_t driver_bytes = 0;            ///< Bytes that PyTorch requested from the driver
    std::optional<std::uint64_t> device_free;  ///< Free bytes of the device, or nullopt if the file does not record them
    std::uint64_t reserved = 0;
    std::uint64_t allocated = 0;
    std::uint64_t requested = 0;  ///< The part of `allocated` that the program requested, without rounding
    std::uint64_t pending = 0;
    std::map<std::uint64_t, std::uint64_t> pending_by_stream;  ///< Pending bytes by the raw handle of their stream
    std::uint64_t idle_default = 0;
    std::uint64_t idle_private = 0;
    std::uint64_t idle_whole_segments = 0;  ///< Idle bytes of the default pool that empty_cache() would return
    /// Idle bytes of the default pool that belong to other streams than the request's
    std::uint64_t idle_other_streams = 0;
    std::uint64_t largest_hole = 0;
    std::uint64_t largest_usable_hole = 0;  ///< Largest hole in the pool, stream and size class of the request
    std::uint64_t largest_hole_without_pending = 0;
    /// Bytes held outside the allocator; negative if the user gave a total that is too small
    std::optional<std::int64_t> outside;
    bool outside_is_bound = false;             ///< True if `outside` is a lower bound
    std::optional<std::uint64_t> card_bytes;   ///< Size of the card, or nullopt if it is unknown
    std::optional<BeyondCard> beyond;          ///< Set if PyTorch counts more memory than the card has
    std::optional<std::uint64_t> limit_bytes;  ///< Maximum that PyTorch may reserve, if the log or the recorder reports it
    bool is_recovered = false;                 ///< True if the run continued after the failed request
    std::optional<CardUse> card;               ///< Use of the rest of the card, if a log or the recorder reports it
    std::vector<OomFactor> contributing;
    std::vector<stacks::SourceBytes> largest_sources;
    OomSettings settings;
    bool lists_segments = false;  ///< True if the file lists segments of the device
    std::string stack_source;     ///< Source line that made the request
    std::string sentence;
    std::string hint;  ///< Advice for the user; empty if there is none

    /// True if the request would fit once idle pieces of memory were joined, as in expandable segments, and expandable
    /// segments are off. The hint is then expandable_hint().
    bool is_helped_by_joining() const;
    /// True if a hole that is large enough for the request belongs to another stream.
    bool has_hole_elsewhere() const { return idle_other_streams >= demand && largest_hole >= demand; }
    std::uint64_t idle() const { return idle_default + idle_private; }
};

/// The results about running out of memory on a device.
struct OomReport {
    /// One verdict for each oom event, in order; only the last ones if there are too many
    std::vector<OomVerdict> verdicts;
    std::size_t earlier_count = 0;  ///< Number of earlier oom events without a verdict, which limits the cost of a report
    /// A sentence if reserved memory came close to the size of the device in a recording without an oom event, otherwise
    /// empty
    std::string near_capacity;
    /// Set if PyTorch counts more memory than the card has, at the moment with the most reserved memory, or at the end if
    /// only that is known
    std::optional<BeyondCard> beyond;
    std::uint32_t beyond_moment = 0;
    Capacity capacity;
};

/// Analyses all oom events of a device. `device_total_bytes` is the size of the device given by the user. `figures` are
/// facts about the card from logs and the recorder. Throws a Failure only when stopped. O(ranges + ooms * live log live).
OomReport oom_report(const Timeline& timeline, const StackLines& lines, const space::AddressSpace& space,
                     std::optional<std::uint64_t> device_total_bytes, std::span<const CardFigures> figures);

}  // namespace snapviewer::oom
