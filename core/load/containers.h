#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/load/bytes/sources.h"
#include "core/load/bytes/zip_archive.h"
#include "core/load/formats.h"
#include "core/trace/snapshot.h"

/// Reads snapshots from byte streams, independent of their containers.
namespace snapviewer::load {

/// True if bytes begin like a file that read_stream() can read.
bool looks_like_snapshot(std::string_view front);

/// Reads a snapshot in any of formats() from the bytes inside a container. `expected_bytes` is an estimate of their number.
/// `depth` is the number of containers around them. `part` has the meaning of Input::part. Throws Failure.
std::shared_ptr<Snapshot> read_stream(bytes::ByteSource& source, std::uint64_t expected_bytes, int depth,
                                      std::uint32_t part = 1);

/// True if bytes begin like a packed file that snapviewer can unpack (core/load/bytes/sources.h).
bool looks_packed(std::string_view front);

/// Reads the snapshot in a packed file, or in an HTML page of torch.cuda._memory_viz. Throws Failure.
std::shared_ptr<Snapshot> read_packed_snapshot(const Input& input);
std::shared_ptr<Snapshot> read_page_snapshot(const Input& input);

/// Reads the largest member of a zip that read_stream() can read as a snapshot. The import log names further snapshots in
/// the zip. Throws Failure.
std::shared_ptr<Snapshot> read_zipped_snapshot(bytes::ZipArchive& archive);

/// Callback that receives each piece of a file's content. `size_bytes` is the size of the whole content if it is known in
/// advance. Returning an error ends the reading.
using TakeBytes = std::function<Status(std::string_view piece, std::optional<std::uint64_t> size_bytes)>;

/// Passes the unpacked bytes of a snapshot file (pickle, JSON, page or memory timeline) to `take`. Examines only the
/// beginning of the content. Returns how the file was packed, outermost packing first, in the form of Snapshot::container:
/// "gzip", or "" if it is not packed. Fails if the file is no such snapshot, or if its packing is cut off or damaged.
Result<std::string> read_snapshot_bytes(const std::string& path, Progress& progress, const TakeBytes& take);

// Error messages for files that are not snapshots, chosen by their first bytes. The file is the subject of a message ("is a
// checkpoint of torch.save..."), which also says what to do instead.

/// Returns a message about a file of another program: a trace, a profile, counters or a log. Returns nullopt for other
/// files. `front` is the beginning of the file. `text` is the part of the file that is searched for PyTorch's out-of-memory
/// error.
std::optional<std::string> describe_foreign(std::string_view front, std::string_view text);

/// Returns a message about bytes that no reader recognises. The parameters are those of describe_foreign().
std::string describe_unknown(std::string_view front, std::string_view text);

/// Throws Failure for a file that begins like a page or JSON, but is clearly no snapshot.
void refuse_foreign_page(std::string_view front);
void refuse_foreign_json(std::string_view front);

/// Message for a checkpoint that torch.save wrote, either as a pickle or as a zip.
inline constexpr const char* k_is_checkpoint =
    "is a checkpoint of torch.save, not a memory snapshot; open the file that torch.cuda.memory._dump_snapshot() or "
    "snapviewer's record() wrote";

}  // namespace snapviewer::load
