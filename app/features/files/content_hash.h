#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace snapviewer {

/// A hash of the content of a file, independent of its name and location. Hashes the size and about 6 MiB spread over the
/// file, which takes milliseconds for any size. For a folder of SnapViewer, hashes its allocations.json. nullopt if the file
/// cannot be read.
std::optional<std::uint64_t> content_hash(const std::string& path);

}  // namespace snapviewer
