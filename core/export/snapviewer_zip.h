#pragma once

#include <string>

#include "core/base/result.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Writes one device in SnapViewer's zip layout: allocations.json (drawing order, each with "timesteps", "offsets", "size")
/// and elements.json (the i-th element is the i-th allocation's event with its frames). Replaces `path` only when complete.
Status export_snapviewer_zip(const Timeline& timeline, const std::string& path, Progress& progress);

}  // namespace snapviewer
