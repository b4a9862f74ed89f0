#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace snapviewer {

/// A number for what a file holds, whatever it is called and wherever it lies: of its size and of some 6 MiB spread over it,
/// so that it costs milliseconds at any size. Of a folder of SnapViewer, that of the allocations in it. None where nothing
/// can be read.
std::optional<std::uint64_t> content_hash(const std::string& path);

}  // namespace snapviewer
