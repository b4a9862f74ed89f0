#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Which rank is meant, also after files were read anew.
struct RankPlace {
    std::string file;
    std::int64_t rank = 0;
    std::optional<std::int64_t> device;
    bool operator==(const RankPlace&) const = default;
};

/// "rank 7", "rank 7, device 1"; the device only where it is not the first.
std::string rank_words(const RankPlace& place);

/// The device of a file that a rank is; none where it has no such device any more.
std::optional<std::size_t> device_of_rank(const Snapshot& snapshot, const RankPlace& place);

}  // namespace snapviewer
