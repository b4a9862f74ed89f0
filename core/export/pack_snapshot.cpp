#include "core/export/pack_snapshot.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/load/snapshot_bytes.h"

namespace snapviewer {
namespace {

constexpr unsigned k_most_packers = 8;  // each takes some 100 MB at the highest level

/// Packs what it is given into a file.
class ZstdWriter {
public:
    ZstdWriter(OutputFile& file, int level)
        : file_(file), context_(ZSTD_createCCtx(), ZSTD_freeCCtx), room_(ZSTD_CStreamOutSize()) {
        if (!context_) throw std::bad_alloc();
        set(ZSTD_c_compressionLevel, level);
        set(ZSTD_c_checksumFlag, 1);
        // Where the library knows no threads, it refuses this and packs in ours.
        set(ZSTD_c_nbWorkers, static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, k_most_packers)));
    }

    Status take(std::string_view piece, std::optional<std::uint64_t> size_bytes) {
        // Told before the first byte, it is in the header, where some programs want it.
        if (taken_bytes_ == 0 && size_bytes) ZSTD_CCtx_setPledgedSrcSize(context_.get(), *size_bytes);
        taken_bytes_ += piece.size();
        return pack(piece, ZSTD_e_continue);
    }
    Status end() { return pack({}, ZSTD_e_end); }

    std::uint64_t taken_bytes() const { return taken_bytes_; }
    std::uint64_t written_bytes() const { return written_bytes_; }

private:
    void set(ZSTD_cParameter parameter, int value) { ZSTD_CCtx_setParameter(context_.get(), parameter, value); }

    Status pack(std::string_view piece, ZSTD_EndDirective directive) {
        ZSTD_inBuffer input{piece.data(), piece.size(), 0};
        for (std::size_t left = 1; input.pos < input.size || (directive == ZSTD_e_end && left != 0);) {
            ZSTD_outBuffer output{room_.data(), room_.size(), 0};
            left = ZSTD_compressStream2(context_.get(), &output, &input, directive);
            if (ZSTD_isError(left) != 0)
                return Error{ErrorCode::memory, std::string("cannot be packed: ") + ZSTD_getErrorName(left)};
            written_bytes_ += output.pos;
            if (!file_.write({room_.data(), output.pos})) return Error{ErrorCode::io, "cannot be written"};
        }
        return {};
    }

    OutputFile& file_;
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
    std::vector<char> room_;
    std::uint64_t taken_bytes_ = 0;
    std::uint64_t written_bytes_ = 0;
};

}  // namespace

Result<PackedSnapshot> pack_snapshot(const std::string& path, OutputFile& out, int level, Progress& progress) {
    ZstdWriter writer(out, level);
    Result<std::string> packed_with = read_snapshot_bytes(
        path, progress,
        [&](std::string_view piece, std::optional<std::uint64_t> size_bytes) { return writer.take(piece, size_bytes); });
    if (!packed_with) return packed_with.error();
    if (Status ended = writer.end(); !ended) return ended.error();
    return PackedSnapshot{writer.taken_bytes(), writer.written_bytes(), *std::move(packed_with)};
}

}  // namespace snapviewer
