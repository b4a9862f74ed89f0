#include "core/load/stream_snapshot.h"

#include <algorithm>
#include <memory>
#include <string>

#include "core/load/failure.h"
#include "core/load/formats.h"
#include "core/load/html_reader.h"
#include "core/load/limits.h"
#include "core/load/packings.h"
#include "core/load/peeked_source.h"
#include "core/load/read_ahead.h"

namespace snapviewer {
namespace {

std::shared_ptr<Snapshot> read_packed(ByteReader& reader, std::uint64_t expected_bytes, const Input& input,
                                      const char* context) {
    if (input.depth >= limits::k_container_depth) fail("is compressed more times over than any real snapshot");
    return in_context(context, [&] {
        ReadAhead unpacked(reader);
        return read_stream(unpacked, expected_bytes, input.depth + 1, input.part);
    });
}

}  // namespace

bool looks_like_snapshot(std::string_view front) {
    Input input;
    input.front = front;
    return std::ranges::any_of(formats(), [&](const Format& format) { return format.looks_like(input); });
}

std::shared_ptr<Snapshot> read_stream(ByteSource& source, std::uint64_t expected_bytes, int depth, std::uint32_t part) {
    PeekedSource peeked(source);
    LoadedFile loaded;
    read_input({peeked.front(), &peeked, nullptr, expected_bytes, depth, part}, loaded);
    return std::move(loaded.snapshot);
}

bool looks_packed(std::string_view front) { return packing_of(front) != nullptr; }

std::shared_ptr<Snapshot> read_packed_snapshot(const Input& input) {
    const Packing& packing = *packing_of(input.front);
    if (packing.is_dense) budget_of_thread().expect_dense_packing();
    const std::unique_ptr<ByteReader> reader = packing.unpack(*input.bytes);
    std::shared_ptr<Snapshot> snapshot =
        read_packed(*reader, packing.usual_ratio * input.expected_bytes, input, packing.context);
    snapshot->container = packing.name + (snapshot->container.empty() ? "" : "/" + snapshot->container);
    return snapshot;
}

std::shared_ptr<Snapshot> read_page_snapshot(const Input& input) {
    HtmlReader reader(*input.bytes);
    std::shared_ptr<Snapshot> snapshot = read_packed(reader, input.expected_bytes / 4 * 3, input, "as decoded from base64");
    if (const std::string view = reader.take_view_name(); !view.empty())
        snapshot->log.add(ImportCode::page_view, "the page was made for the view '" + view + "'");
    return snapshot;
}

}  // namespace snapviewer
