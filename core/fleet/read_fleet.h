#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/fleet/summarise.h"

namespace snapviewer {

/// Takes the summary of a file, which is given by its place among all.
using TakeSummary = std::function<Status(std::size_t file, FileSummary summary)>;

/// Memory that a file is likely to need while it is read, in bytes: most take a third of it.
std::uint64_t likely_need_bytes(std::string_view path, std::uint64_t file_bytes);
std::uint64_t likely_need_bytes(const FleetFile& file);

/// Reads many files at once and hands over the summary of each on the calling thread, in the order of `files`: a thread a
/// file, as many as there are processors. Of what is read only summaries stay, and files begin only while what they are
/// likely to need fits into three quarters of the memory there is, or alone: so the memory taken is that of the largest
/// files, however many there are. What lacks memory all the same is read once more, alone, when all others are done, and
/// handed over after them. Files in folders of other machines come last, one at a time, so that no more than one of them
/// takes room here. Fails when stopped or when `take` fails, which ends the reading; a file that cannot be read is a
/// summary, too. `progress` counts files.
Status read_fleet(std::span<const FleetFile> files, const SummaryOptions& options, Progress& progress,
                  const TakeSummary& take);

}  // namespace snapviewer
