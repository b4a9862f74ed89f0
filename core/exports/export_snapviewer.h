#pragma once

#include <string>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Writes one device as a zip file in SnapViewer's layout: allocations.json (in drawing order, each with "timesteps",
/// "offsets", "size") and elements.json (element i is the event of allocation i, with its frames). Replaces `path` only when
/// the file is complete.
Status export_snapviewer_zip(const Timeline& timeline, const std::string& path, Progress& progress);

/// Writes one device in the layout of current SnapViewer versions: a folder with allocations.json and, instead of
/// elements.json, elements.db with the table `allocs`, whose row i is allocation i. Creates the folder if it does not exist.
/// Fails if the folder contains any other file. Replaces the two files only when both are complete.
Status export_snapviewer_folder(const Timeline& timeline, const std::string& folder, Progress& progress);

}  // namespace snapviewer
