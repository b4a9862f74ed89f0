#include "core/load/stream_snapshot.h"

#include <algorithm>
#include <string>

#include "core/load/failure.h"
#include "core/load/formats.h"
#include "core/load/gzip_reader.h"
#include "core/load/html_reader.h"
#include "core/load/limits.h"
#include "core/load/peeked_source.h"
#include "core/load/read_ahead.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_usual_gzip_ratio = 8;

std::shared_ptr<Snapshot> read_packed(ByteReader& reader, std::uint64_t expected_bytes, Progress& progress, int depth,
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

}  // namespace

bool looks_like_snapshot(std::string_view front) {
    Input input;
    input.front = front;
    return std::ranges::any_of(formats(), [&](const Format& format) { return format.looks_like(input); });
}

std::shared_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, Progress& progress, int depth) {
    PeekedSource peeked(source);
    LoadedFile loaded;
    read_input({peeked.front(), &peeked, nullptr, expected_bytes, depth}, progress, loaded);
    return std::move(loaded.snapshot);
}

std::shared_ptr<Snapshot> read_gzipped_snapshot(const Input& input, Progress& progress) {
    GzipReader reader(*input.bytes);
    std::shared_ptr<Snapshot> snapshot =
        read_packed(reader, k_usual_gzip_ratio * input.expected_bytes, progress, input.depth, "as unpacked by gunzip");
    snapshot->container = snapshot->container.empty() ? "gzip" : "gzip/" + snapshot->container;
    return snapshot;
}

std::shared_ptr<Snapshot> read_page_snapshot(const Input& input, Progress& progress) {
    HtmlReader reader(*input.bytes);
    std::shared_ptr<Snapshot> snapshot =
        read_packed(reader, input.expected_bytes / 4 * 3, progress, input.depth, "as decoded from base64");
    if (const std::string view = reader.take_view_name(); !view.empty())
        snapshot->log.add(FindingCode::page_view, "the page was made to show the view '" + view + "'");
    return snapshot;
}

}  // namespace snapviewer
