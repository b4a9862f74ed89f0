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
#include "core/query/database.h"
#include "core/timeline/timeline.h"

struct ZSTD_CCtx_s;

namespace snapviewer::exports {

/// Writes all tables of `database` into a new SQLite file. `allocs` becomes a view of the device with the index
/// `device_index`, because a table would contain the call stack once per allocation. Replaces `path` only when the file is
/// complete.
Status export_database(query::Database& database, const Snapshot& snapshot, std::size_t device_index,
                       const std::string& path, Progress& progress);

/// Writes SnapViewer's table `allocs` of one timeline into the empty file at `path`: allocations in drawing order, stacks
/// with one line "(0) file:line:function" per frame.
void write_snapviewer_elements(const Timeline& timeline, const std::string& path);

/// Advice for the error message if the output would exceed the budget.
inline constexpr const char* k_too_long_export = "nothing was written; snapviewer query with --limit 0 still gives its rows";

/// Writes one device as a zip file in SnapViewer's layout: allocations.json (in drawing order, each with "timesteps",
/// "offsets", "size") and elements.json (element i is the event of allocation i, with its frames). Replaces `path` only when
/// the file is complete.
Status export_snapviewer_zip(const Timeline& timeline, const std::string& path, Progress& progress);

/// Writes one device in the layout of current SnapViewer versions: a folder with allocations.json and, instead of
/// elements.json, elements.db with the table `allocs`, whose row i is allocation i. Creates the folder if it does not exist.
/// Fails if the folder contains any other file. Replaces the two files only when both are complete.
Status export_snapviewer_folder(const Timeline& timeline, const std::string& folder, Progress& progress);

/// Encodes bytes as base64 (RFC 4648) piece by piece, in a single line.
class Base64Writer {
public:
    using Output = std::function<bool(std::string_view)>;

    explicit Base64Writer(Output output) : output_(std::move(output)) {}
    /// Encodes more bytes. Returns false if `output` did.
    bool write(std::string_view bytes);
    /// Writes the remaining bytes and pads the last group with "=". Returns false if `output` did. Call once.
    bool end();

private:
    Output output_;
    std::string rest_;  ///< Bytes of an incomplete group: at most two between calls
};

/// Sizes of an HTML file with a snapshot in it.
struct WrittenPage {
    std::uint64_t program_bytes = 0;   ///< Bytes of the page without the snapshot
    std::uint64_t snapshot_bytes = 0;  ///< Bytes of the snapshot as embedded in the page
    std::uint64_t content_bytes = 0;   ///< Bytes of the snapshot before compression
};

/// Writes one HTML file that contains the web program in the folder `page` (docs/web.md) and a snapshot, compressed with
/// Zstandard at `level`. It opens by a double click, without a server or a network. `place` is the view that it opens with,
/// in the format of links (app/features/link/links.h); empty for the whole file. Of the snapshot's path, the page contains
/// only the file name. The caller calls commit() on `out`, which also reports write errors. For a large snapshot,
/// calls `expect` once with estimated sizes, after the first MiBs are compressed.
Result<WrittenPage> write_page_file(const std::string& snapshot, const std::string& page, const std::string& place,
                                    int level, OutputFile& out, Progress& progress,
                                    const std::function<void(const WrittenPage&)>& expect);

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
/// Maximum level. Higher levels take gigabytes of memory, and other programs would need an option to unpack the result.
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

}  // namespace snapviewer::exports
