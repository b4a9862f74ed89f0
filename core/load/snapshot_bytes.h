#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// Callback that receives each piece of a file's content. `size_bytes` is the size of the whole content if it is known in
/// advance. Returning an error ends the reading.
using TakeBytes = std::function<Status(std::string_view piece, std::optional<std::uint64_t> size_bytes)>;

/// Passes the unpacked bytes of a snapshot file (pickle, JSON, page or memory timeline) to `take`. Examines only the
/// beginning of the content. Returns how the file was packed, outermost packing first, in the form of Snapshot::container:
/// "gzip", or "" if it is not packed. Fails if the file is no such snapshot, or if its packing is cut off or damaged.
Result<std::string> read_snapshot_bytes(const std::string& path, Progress& progress, const TakeBytes& take);

}  // namespace snapviewer
