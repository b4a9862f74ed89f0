#pragma once

#include <memory>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// True if bytes begin like a JSON object or array.
bool looks_like_json(std::string_view front);

/// Reads a memory snapshot that was written as JSON: the whole dict, or only its list of segments. If the text breaks off,
/// returns the part before that place if at least one event or segment is complete. Does not collect the allocations;
/// complete_snapshot() (core/timeline) does. Throws Failure.
std::unique_ptr<Snapshot> read_json_snapshot(ByteSource& text);

}  // namespace snapviewer
