#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/replay/recorded_run.h"

namespace snapviewer {

/// The kind of a page in an expandable segment: its pool, whether it holds small blocks, and its stream.
using PageKind = std::tuple<PoolId, bool, std::uint64_t>;
using PageKinds = std::map<std::uint64_t, PageKind>;  ///< Kind of each page, by address

/// The kind of a page that only unmap events mention. It is the kind of the nearest known page with the same stream and, if
/// the event has one, the same pool. Large segments unmap whole pages of their size, so any other size belongs to a small
/// segment. `known` lists the addresses of the pages of each kind, ascending. O(kinds log pages).
PageKind kind_of_lost_page(const RecordedRun& run, const std::map<PageKind, std::vector<std::uint64_t>>& known,
                           std::uint64_t page, std::uint32_t event);

/// Fills `switches`, `native_pools` and `unsplit_pools` of a start from the evidence of requests and segments. `pages`
/// contains all pages of expandable segments that the recording ever shows. O(events log segments).
void find_evidence(const RecordedRun& run, const PageKinds& pages, ReplayStart& start);

/// Finds out where a block ends, from the allocations behind it. next() takes the event of the block's alloc and two
/// possible addresses of its end. It returns the address that is allocated first while the block is live. If there is none,
/// it returns the end of the block in the segments of the file, or nullopt if the block is not there.
class BehindBlocks {
public:
    explicit BehindBlocks(const RecordedRun& run);
    std::optional<std::uint64_t> next(std::uint32_t alloc, std::uint64_t one, std::uint64_t other) const;

private:
    using Places = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  ///< Pairs of address and event, sorted
    static std::uint32_t after(const Places& places, std::uint64_t address, std::uint32_t event);

    const RecordedRun& run_;
    Places allocs_;
    Places frees_;
};

}  // namespace snapviewer
