#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/fleet/summarise.h"

namespace snapviewer {

/// Reads many files at once and hands over the summary of each on the calling thread, in the order of `files`: a thread a
/// file, as many as there are processors. Of what is read only summaries stay, and files begin only while what they are
/// likely to need fits into three quarters of the memory there is, or alone: so the memory taken is that of the largest
/// files, however many there are. Fails when stopped or when `take` fails, which ends the reading; a file that cannot be
/// read is a summary, too. `progress` counts files.
Status read_fleet(std::span<const FleetFile> files, const SummaryOptions& options, Progress& progress,
                  const std::function<Status(FileSummary)>& take);

}  // namespace snapviewer
