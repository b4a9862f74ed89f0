#include "core/load/stream_snapshot.h"

#include <string>

#include "core/load/failure.h"
#include "core/load/gzip_reader.h"
#include "core/load/html_reader.h"
#include "core/load/json_snapshot.h"
#include "core/load/limits.h"
#include "core/load/memory_timeline.h"
#include "core/load/peeked_source.h"
#include "core/load/pickle_reader.h"
#include "core/load/read_ahead.h"
#include "core/load/zip_archive.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_usual_gzip_ratio = 8;

std::unique_ptr<Snapshot> read_packed(ByteReader& reader, std::uint64_t expected_bytes, Progress& progress, int depth,
                                      const char* context) {
    if (depth >= limits::k_container_depth) fail("is packed more often than any snapshot");
    try {
        ReadAhead unpacked(reader, progress);
        return read_stream(unpacked, expected_bytes, progress, depth + 1);
    } catch (ReadFailure& failure) {
        if (failure.error.code == ErrorCode::bad_file && failure.error.context.empty()) failure.error.context = context;
        throw;
    }
}

std::unique_ptr<Snapshot> read_gzip(ByteSource& source, std::uint64_t expected_bytes, Progress& progress, int depth) {
    GzipReader reader(source);
    std::unique_ptr<Snapshot> snapshot =
        read_packed(reader, k_usual_gzip_ratio * expected_bytes, progress, depth, "as unpacked by gunzip");
    snapshot->container = snapshot->container.empty() ? "gzip" : "gzip/" + snapshot->container;
    return snapshot;
}

std::unique_ptr<Snapshot> read_html(ByteSource& source, std::uint64_t expected_bytes, Progress& progress, int depth) {
    HtmlReader reader(source);
    std::unique_ptr<Snapshot> snapshot =
        read_packed(reader, expected_bytes / 4 * 3, progress, depth, "as decoded from base64");
    snapshot->kind = FileKind::pytorch_html;
    if (const std::string view = reader.take_view_name(); !view.empty())
        snapshot->log.add(FindingCode::page_view, "the page was made to show the view '" + view + "'");
    return snapshot;
}

/// What the bytes of an unknown file look like, for the error that refuses it.
const char* describe(std::string_view front) {
    if (front.empty()) return "is empty; the program that wrote it may have died before it could";
    if (front.starts_with("SQLite format 3")) return "is an SQLite database inside another file; unpack that first";
    if (front.starts_with("PK\x03\x04")) return "is a zip inside another packed file; unpack the outer one first";
    return "is neither a pickled PyTorch memory snapshot, nor one as JSON or HTML, nor a SnapViewer zip: it begins like "
           "none "
           "of them";
}

}  // namespace

bool looks_like_snapshot(std::string_view front) {
    return looks_like_pickle(front) || looks_like_json(front) || looks_like_gzip(front) || looks_like_html(front);
}

std::unique_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, Progress& progress, int depth) {
    PeekedSource peeked(source);
    if (looks_like_memory_timeline(peeked.front())) fail_memory_timeline();
    if (looks_like_gzip(peeked.front())) return read_gzip(peeked, expected_bytes, progress, depth);
    if (looks_like_html(peeked.front())) return read_html(peeked, expected_bytes, progress, depth);
    if (looks_like_pickle(peeked.front())) {
        std::unique_ptr<Snapshot> snapshot = read_pickle(peeked, expected_bytes, progress);
        snapshot->kind = FileKind::pytorch_pickle;
        return snapshot;
    }
    if (looks_like_json(peeked.front())) {
        std::unique_ptr<Snapshot> snapshot = read_json_snapshot(peeked, progress);
        snapshot->kind = FileKind::pytorch_json;
        return snapshot;
    }
    fail(describe(peeked.front()), 0);
}

}  // namespace snapviewer
