#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/base/result.h"

struct ZSTD_CCtx_s;

namespace snapviewer {

/// Compresses a stream of bytes with Zstandard; `zstd -d` restores the same bytes.
class ZstdPacker {
public:
    /// Receives compressed bytes. Returning false ends the compression with an error.
    using Output = std::function<bool(std::string_view packed)>;

    /// Compresses on `threads` threads of its own; 0 uses the caller's thread.
    ZstdPacker(int level, unsigned threads);

    /// Compresses the next piece. `size_bytes` is the total size of all pieces, if known; only the value given with the
    /// first piece is used.
    Status take(std::string_view piece, std::optional<std::uint64_t> size_bytes, const Output& output);
    Status end(const Output& output);

    std::uint64_t taken_bytes() const { return taken_bytes_; }

private:
    Status pack(std::string_view piece, bool is_end, const Output& output);

    std::unique_ptr<ZSTD_CCtx_s, void (*)(ZSTD_CCtx_s*)> context_;
    std::vector<char> buffer_;
    std::uint64_t taken_bytes_ = 0;
};

inline constexpr int k_min_pack_level = 1;
/// Higher levels take gigabytes of memory, and other programs would need an option to unpack the result.
inline constexpr int k_max_pack_level = 19;
inline constexpr int k_default_pack_level = 9;

/// Sizes of a packed snapshot.
struct PackedSnapshot {
    std::uint64_t content_bytes = 0;
    std::uint64_t packed_bytes = 0;
    std::string unpacked_from;  ///< Compression of the input file, as in Snapshot::container; empty if it was not compressed
};

/// Compresses a snapshot with Zstandard and writes it to `out`; `zstd -d` restores the same bytes. `level` is a Zstandard
/// level. Unpacks a compressed input file first. The caller calls commit() on `out`, which also reports write errors.
/// Uses up to 8 processors.
Result<PackedSnapshot> pack_snapshot(const std::string& path, OutputFile& out, int level, Progress& progress);

}  // namespace snapviewer
