#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/bytes/zip_archive.h"
#include "core/load/formats.h"
#include "core/trace/snapshot.h"

/// Reads snapshots from byte streams, independent of their containers.
namespace snapviewer {

/// True if bytes begin like a file that read_stream() can read.
bool looks_like_snapshot(std::string_view front);

/// Reads a snapshot in any of formats() from the bytes inside a container. `expected_bytes` is an estimate of their number.
/// `depth` is the number of containers around them. `part` has the meaning of Input::part. Throws Failure.
std::shared_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, int depth, std::uint32_t part = 1);

/// True if bytes begin like a packed file that snapviewer can unpack (core/load/bytes/packings.h).
bool looks_packed(std::string_view front);

/// Reads the snapshot in a packed file, or in an HTML page of torch.cuda._memory_viz. Throws Failure.
std::shared_ptr<Snapshot> read_packed_snapshot(const Input& input);
std::shared_ptr<Snapshot> read_page_snapshot(const Input& input);

/// Reads the largest member of a zip that read_stream() can read as a snapshot. The import log names further snapshots in
/// the zip. Throws Failure.
std::shared_ptr<Snapshot> read_zipped_snapshot(ZipArchive& archive);

/// Callback that receives each piece of a file's content. `size_bytes` is the size of the whole content if it is known in
/// advance. Returning an error ends the reading.
using TakeBytes = std::function<Status(std::string_view piece, std::optional<std::uint64_t> size_bytes)>;

/// Passes the unpacked bytes of a snapshot file (pickle, JSON, page or memory timeline) to `take`. Examines only the
/// beginning of the content. Returns how the file was packed, outermost packing first, in the form of Snapshot::container:
/// "gzip", or "" if it is not packed. Fails if the file is no such snapshot, or if its packing is cut off or damaged.
Result<std::string> read_snapshot_bytes(const std::string& path, Progress& progress, const TakeBytes& take);

}  // namespace snapviewer
