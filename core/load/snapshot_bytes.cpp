#include "core/load/snapshot_bytes.h"

#include "core/base/remote_address.h"
#include "core/base/standard_input.h"
#include "core/load/failure.h"
#include "core/load/limits.h"
#include "core/load/mapped_source.h"
#include "core/load/packings.h"
#include "core/load/peeked_source.h"
#include "core/load/read_ahead.h"
#include "core/load/remote_source.h"
#include "core/load/standard_input_source.h"
#include "core/load/stream_snapshot.h"

namespace snapviewer {
namespace {

/// Passes the unpacked content of `source` to `take`. Appends the names of the packings to `packed_with`.
void give_bytes(ByteSource& source, std::optional<std::uint64_t> size_bytes, int depth, const TakeBytes& take,
                std::string& packed_with) {
    PeekedSource peeked(source);
    if (const Packing* packing = packing_of(peeked.front())) {
        if (depth >= limits::k_container_depth) fail("is compressed more times over than any real snapshot");
        if (packing->is_dense) budget_of_thread().expect_dense_packing();
        packed_with += (depth == 0 ? "" : "/") + std::string(packing->name);
        const std::unique_ptr<ByteReader> reader = packing->unpack(peeked);
        ReadAhead unpacked(*reader);
        return give_bytes(unpacked, std::nullopt, depth + 1, take, packed_with);
    }
    if (!looks_like_snapshot(peeked.front()))
        fail("is not a file that can be packed; expected a PyTorch snapshot as pickle, JSON or HTML, or a memory timeline");
    for (std::string_view piece = peeked.next_piece(); !piece.empty(); piece = peeked.next_piece())
        need_ok(take(piece, size_bytes));
}

}  // namespace

Result<std::string> read_snapshot_bytes(const std::string& path, Progress& progress, const TakeBytes& take) {
    return caught(&progress, [&] {
        report_stage(Stage::reading);
        const auto give_all = [&](ByteSource& source, std::optional<std::uint64_t> size_bytes) {
            std::string packings;
            give_bytes(source, size_bytes, 0, take, packings);
            return packings;
        };
        if (is_standard_input(path)) {
            need_ok(StandardInputSource::take());
            StandardInputSource source;
            return give_all(source, std::nullopt);
        }
        if (is_remote(path)) {
            RemoteSource source(value_or_throw(take_fetch(path)));
            return give_all(source, source.expected_bytes() > 0 ? std::optional(source.expected_bytes()) : std::nullopt);
        }
        MappedFile file = value_or_throw(MappedFile::open(path));
        const std::uint64_t size_bytes = file.size_bytes();
        budget_of_thread().add_file(size_bytes);
        Result<std::string> packed_with = caught([&] {
            MappedSource source(file);
            return give_all(source, size_bytes);
        });
        need_ok(file.check_still_whole());
        return value_or_throw(std::move(packed_with));
    });
}

}  // namespace snapviewer
