#pragma once

#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Writes one device in SnapViewer's zip layout: allocations.json (drawing order, each with "timesteps", "offsets", "size")
/// and elements.json (the i-th element is the i-th allocation's event with its frames). Replaces `path` only when complete.
Status export_snapviewer_zip(const Timeline& timeline, const std::string& path, Progress& progress);

/// Writes one device as today's SnapViewer keeps it: a folder with allocations.json and, instead of elements.json,
/// elements.db with the table `allocs`, whose i-th row is the i-th allocation. Makes the folder if there is none; one that
/// holds anything but these two files is left alone. They are replaced only when both are complete.
Status export_snapviewer_folder(const Timeline& timeline, const std::string& folder, Progress& progress);

}  // namespace snapviewer
