#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether bytes begin like anything that read_stream reads.
bool looks_like_snapshot(std::string_view front);

/// Reads a snapshot from bytes that come one after another, whatever it is wrapped in: a pickle or JSON, the page of
/// torch.cuda._memory_viz around a pickle, gzip around any of these. `expected_bytes` is a guess at how many there are.
/// `depth` is how many containers are around it already. Throws ReadFailure.
std::unique_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, Progress& progress, int depth = 0);

}  // namespace snapviewer
