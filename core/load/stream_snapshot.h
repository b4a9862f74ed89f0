#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/load/input.h"
#include "core/trace/snapshot.h"

/// Snapshots that come as bytes one after another, whatever is around them.
namespace snapviewer {

/// Whether bytes begin like anything that read_stream reads.
bool looks_like_snapshot(std::string_view front);

/// Reads whatever formats() recognise in bytes that came out of a container. `expected_bytes` is a guess at how many there
/// are, `depth` how many containers are around them, `part` as in Input. Throws ReadFailure.
std::shared_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, Progress& progress, int depth,
                                      std::uint32_t part = 1);

/// Whether bytes begin like a file packed in a way that we know (core/load/packings.h).
bool looks_packed(std::string_view front);

/// What such a file, and what a page of torch.cuda._memory_viz holds. Throw ReadFailure.
std::shared_ptr<Snapshot> read_packed_snapshot(const Input& input, Progress& progress);
std::shared_ptr<Snapshot> read_page_snapshot(const Input& input, Progress& progress);

}  // namespace snapviewer
