#include "core/export/pack_snapshot.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/context.h"
#include "core/export/zstd_packer.h"
#include "core/load/snapshot_bytes.h"

namespace snapviewer {
namespace {

constexpr unsigned k_most_packers = 8;  // each thread takes about 100 MB at the highest level

}  // namespace

Result<PackedSnapshot> pack_snapshot(const std::string& path, OutputFile& out, int level, Progress& progress) {
    return caught([&] {
        ZstdPacker packer(level, std::clamp(std::thread::hardware_concurrency(), 1U, k_most_packers));
        PackedSnapshot packed;
        const auto write = [&](std::string_view bytes) {
            packed.packed_bytes += bytes.size();
            return out.write(bytes);
        };
        packed.unpacked_from = value_or_throw(
            read_snapshot_bytes(path, progress, [&](std::string_view piece, std::optional<std::uint64_t> size_bytes) {
                return packer.take(piece, size_bytes, write);
            }));
        need_ok(packer.end(write));
        packed.content_bytes = packer.taken_bytes();
        return packed;
    });
}

}  // namespace snapviewer
