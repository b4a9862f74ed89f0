#pragma once

#include <span>
#include <vector>

#include "core/base/progress.h"
#include "core/fleet/summarise.h"

namespace snapviewer {

/// How many of `files`, which are of one folder on another machine, are to be asked for at once: where that machine has a
/// snapviewer they are summarised there, side by side, and only what was found comes; else each comes whole.
std::size_t files_at_once(const std::string& folder);

/// Summaries of files of one folder on another machine, one for each. What it does not send is a summary that says why.
/// Throws only stopped().
std::vector<FileSummary> summarise_remote(std::span<const FleetFile> files, const SummaryOptions& options,
                                          Progress& progress);

}  // namespace snapviewer
