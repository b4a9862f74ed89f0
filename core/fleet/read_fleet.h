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

/// Receives the summary of a file; `file` is its index in the list of all files.
using TakeSummary = std::function<Status(std::size_t file, FileSummary summary)>;

/// Estimates the memory that reading a file needs, in bytes. Most files take a third of the estimate.
std::uint64_t likely_need_bytes(std::string_view path, std::uint64_t file_bytes);
std::uint64_t likely_need_bytes(const FleetFile& file);

/// Reads many files in parallel, one thread per processor, and passes each summary to `take` on the calling thread, in the
/// order of `files`.
///
/// Memory: only summaries are kept. A file is started only while the estimates of the files being read fit into three
/// quarters of the available memory, or if no other file is being read. So the peak is that of the largest files,
/// independent of their number. A file that runs out of memory nevertheless is read again, alone, after all other local
/// files, and passed on then. Files in folders of other machines come last, one at a time, so that at most one of them
/// occupies local storage.
///
/// Fails if stopped, or if `take` fails, which ends the reading. A file that cannot be read is no failure: its summary
/// contains the error. `progress` counts files.
Status read_fleet(std::span<const FleetFile> files, const SummaryOptions& options, Progress& progress,
                  const TakeSummary& take);

}  // namespace snapviewer
