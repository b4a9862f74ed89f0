#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/card_figures.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// PyTorch's out-of-memory errors in the log of a job: for each device of a snapshot the one that is about it, if there is
/// any. An error that names another rank or device than the snapshot's is about another. Of the others the one whose
/// amounts are those of an out-of-memory event of the snapshot goes first, then one that names the snapshot's rank, then
/// the last in the log. `rank` is the snapshot's, if it is known; `path` an ordinary file of any size, read piece by piece,
/// a GB a second. Throws if no error in it is about the snapshot.
std::vector<CardFigures> figures_in_log(const std::string& path, const Snapshot& snapshot,
                                        std::optional<std::uint32_t> rank);

}  // namespace snapviewer
