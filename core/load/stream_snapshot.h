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

/// Whether bytes begin like anything that read_stream reads.
bool looks_like_snapshot(std::string_view front);

/// Reads any of formats() from the bytes of a container. `expected_bytes` is a guess at their number, `depth` the number of
/// containers around them, `part` as in Input. Throws Failure.
std::shared_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, int depth, std::uint32_t part = 1);

/// Whether bytes begin like a file packed in a way that we know (core/load/packings.h).
bool looks_packed(std::string_view front);

/// Reads a packed file, or a page of torch.cuda._memory_viz. Throws Failure.
std::shared_ptr<Snapshot> read_packed_snapshot(const Input& input);
std::shared_ptr<Snapshot> read_page_snapshot(const Input& input);

}  // namespace snapviewer
