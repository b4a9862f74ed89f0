#pragma once

#include <cstdint>
#include <string>

#include "core/base/output_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

inline constexpr int k_least_pack_level = 1;
inline constexpr int k_most_pack_level = 19;  ///< beyond it zstd takes gigabytes, and others must be told to unpack it
inline constexpr int k_usual_pack_level = 9;

/// What became of a snapshot's bytes.
struct PackedSnapshot {
    std::uint64_t content_bytes = 0;
    std::uint64_t packed_bytes = 0;
    std::string unpacked_from;  ///< what the file was packed with before, as Snapshot::container has it; empty for nothing
};

/// Writes the bytes of a snapshot to `out`, packed with Zstandard at a level of its own scale: `zstd -d` gives the same
/// bytes again. A file that is packed already is unpacked first. The caller puts `out` in place; where that has failed, it
/// is why this does. Takes up to 8 processors.
Result<PackedSnapshot> pack_snapshot(const std::string& path, OutputFile& out, int level, Progress& progress);

}  // namespace snapviewer
