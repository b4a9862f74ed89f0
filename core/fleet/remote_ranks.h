#pragma once

#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/fleet/summarise.h"

namespace snapviewer {

/// Number of files from one folder on another machine to request at once. If that machine has snapviewer, it summarises 16
/// files in parallel and sends only the summaries; else each file is transferred whole, one at a time.
std::size_t files_at_once(const std::string& folder);

/// Summarises files of one folder on another machine. Returns one summary per file; the summary of a file that was not
/// received contains the error. Throws only stopped().
std::vector<FileSummary> summarise_remote(std::span<const FleetFile> files, const SummaryOptions& options,
                                          Progress& progress);

}  // namespace snapviewer
