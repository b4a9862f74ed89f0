#pragma once

#include <memory>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether bytes begin like a JSON object or array.
bool looks_like_json(std::string_view front);

/// Reads a memory snapshot that was written as JSON: the dict, or the bare list of segments. What breaks off after an event
/// or segment was complete is read up to there. The allocations are not collected yet. Throws Failure.
std::unique_ptr<Snapshot> read_json_snapshot(ByteSource& text);

}  // namespace snapviewer
