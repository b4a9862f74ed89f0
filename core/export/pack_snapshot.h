#pragma once

#include <cstdint>
#include <string>

#include "core/base/output_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

inline constexpr int k_least_pack_level = 1;
/// Higher levels take gigabytes of memory, and other programs would need an option to unpack the result.
inline constexpr int k_most_pack_level = 19;
inline constexpr int k_usual_pack_level = 9;

/// Sizes of a packed snapshot.
struct PackedSnapshot {
    std::uint64_t content_bytes = 0;
    std::uint64_t packed_bytes = 0;
    std::string unpacked_from;  ///< Compression of the input file, as in Snapshot::container; empty if it was not compressed
};

/// Compresses a snapshot with Zstandard and writes it to `out`; `zstd -d` restores the same bytes. `level` is a Zstandard
/// level. Unpacks a compressed input file first. The caller calls put_in_place() on `out`, which also reports write errors.
/// Uses up to 8 processors.
Result<PackedSnapshot> pack_snapshot(const std::string& path, OutputFile& out, int level, Progress& progress);

}  // namespace snapviewer
