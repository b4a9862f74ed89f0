#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/replay/recorded_run.h"

namespace snapviewer {

/// Pool, whether of small blocks, and stream of a page of an expandable segment.
using PageKind = std::tuple<PoolId, bool, std::uint64_t>;
using PageKinds = std::map<std::uint64_t, PageKind>;  ///< by address of the page

/// The kind of a page that only events of unmapping know: that of the nearest page which it may be like. Large segments
/// unmap multiples of their pages, so anything else is small. `known`: pages of each kind, rising.
/// O(kinds log pages).
PageKind kind_of_lost_page(const RecordedRun& run, const std::map<PageKind, std::vector<std::uint64_t>>& known,
                           std::uint64_t page, std::uint32_t event);

/// Fills `switches`, `native_pools` and `unsplit_pools` of a start from what requests and segments show; `pages` are those
/// of all expandable segments ever seen. O(events log segments).
void find_evidence(const RecordedRun& run, const PageKinds& pages, ReplayStart& start);

/// Which of these addresses is allocated first while the block of an alloc event is there, else where the block ends in the
/// file; nothing where the recording does not show it.
class BehindBlocks {
public:
    explicit BehindBlocks(const RecordedRun& run);
    std::optional<std::uint64_t> next(std::uint32_t alloc, std::uint64_t one, std::uint64_t other) const;

private:
    using Places = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  ///< (address, event), in order
    static std::uint32_t after(const Places& places, std::uint64_t address, std::uint32_t event);

    const RecordedRun& run_;
    Places allocs_;
    Places frees_;
};

}  // namespace snapviewer
