#include "core/export/pack_snapshot.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/export/zstd_packer.h"
#include "core/load/snapshot_bytes.h"

namespace snapviewer {
namespace {

constexpr unsigned k_most_packers = 8;  // each takes some 100 MB at the highest level

}  // namespace

Result<PackedSnapshot> pack_snapshot(const std::string& path, OutputFile& out, int level, Progress& progress) {
    ZstdPacker packer(level, std::clamp(std::thread::hardware_concurrency(), 1U, k_most_packers));
    std::uint64_t packed_bytes = 0;
    const auto write = [&](std::string_view packed) {
        packed_bytes += packed.size();
        return out.write(packed);
    };
    Result<std::string> packed_with =
        read_snapshot_bytes(path, progress, [&](std::string_view piece, std::optional<std::uint64_t> size_bytes) {
            return packer.take(piece, size_bytes, write);
        });
    if (!packed_with) return packed_with.error();
    if (Status ended = packer.end(write); !ended) return ended.error();
    return PackedSnapshot{packer.taken_bytes(), packed_bytes, *std::move(packed_with)};
}

}  // namespace snapviewer
