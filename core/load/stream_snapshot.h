#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/load/input.h"
#include "core/trace/snapshot.h"

/// Reads snapshots from byte streams, independent of their containers.
namespace snapviewer {

/// True if bytes begin like a file that read_stream() can read.
bool looks_like_snapshot(std::string_view front);

/// Reads a snapshot in any of formats() from the bytes inside a container. `expected_bytes` is an estimate of their number.
/// `depth` is the number of containers around them. `part` has the meaning of Input::part. Throws Failure.
std::shared_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, int depth, std::uint32_t part = 1);

/// True if bytes begin like a packed file that snapviewer can unpack (core/load/packings.h).
bool looks_packed(std::string_view front);

/// Reads the snapshot in a packed file, or in an HTML page of torch.cuda._memory_viz. Throws Failure.
std::shared_ptr<Snapshot> read_packed_snapshot(const Input& input);
std::shared_ptr<Snapshot> read_page_snapshot(const Input& input);

}  // namespace snapviewer
