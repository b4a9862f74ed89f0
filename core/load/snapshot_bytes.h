#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// What is given each piece of a file's content, and the size of all of it where that is known before. An error ends the
/// reading.
using TakeBytes = std::function<Status(std::string_view piece, std::optional<std::uint64_t> size_bytes)>;

/// The bytes of a snapshot (pickle, JSON, page or memory timeline) as they were before anybody packed the file, of which
/// nothing but the beginning is looked at. Gives what the file was packed with, outermost first, as Snapshot::container has
/// it: "gzip", "" for nothing. An error where it is no such file, or where it is cut off or damaged as a packed file.
Result<std::string> read_snapshot_bytes(const std::string& path, Progress& progress, const TakeBytes& take);

}  // namespace snapviewer
