#include "core/exports/packed_snapshot.h"

#include <zstd.h>

#include <algorithm>
#include <new>
#include <thread>

#include "core/load/containers.h"

namespace snapviewer {

ZstdPacker::ZstdPacker(int level, unsigned threads)
    : context_(ZSTD_createCCtx(), [](ZSTD_CCtx* context) { ZSTD_freeCCtx(context); }), buffer_(ZSTD_CStreamOutSize()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    // A Zstandard library without thread support refuses this setting and compresses on the caller's thread.
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_nbWorkers, static_cast<int>(threads));
}

Status ZstdPacker::take(std::string_view piece, std::optional<std::uint64_t> size_bytes, const Output& output) {
    // If the total size is set before the first byte, the header contains it. Some programs need it there.
    if (taken_bytes_ == 0 && size_bytes) ZSTD_CCtx_setPledgedSrcSize(context_.get(), *size_bytes);
    taken_bytes_ += piece.size();
    return pack(piece, false, output);
}

Status ZstdPacker::end(const Output& output) { return pack({}, true, output); }

Status ZstdPacker::pack(std::string_view piece, bool is_end, const Output& output) {
    ZSTD_inBuffer input{piece.data(), piece.size(), 0};
    for (std::size_t left = 1; input.pos < input.size || (is_end && left != 0);) {
        ZSTD_outBuffer packed{buffer_.data(), buffer_.size(), 0};
        left = ZSTD_compressStream2(context_.get(), &packed, &input, is_end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) != 0)
            return Error{ErrorCode::memory, std::string("cannot be packed: ") + ZSTD_getErrorName(left)};
        if (!output({buffer_.data(), packed.pos})) return Error{ErrorCode::io, "cannot be written"};
    }
    return {};
}

namespace {

constexpr unsigned k_max_packers = 8;  // each thread takes about 100 MB at the highest level

}  // namespace

Result<PackedSnapshot> pack_snapshot(const std::string& path, OutputFile& out, int level, Progress& progress) {
    return caught([&] {
        ZstdPacker packer(level, std::clamp(std::thread::hardware_concurrency(), 1U, k_max_packers));
        PackedSnapshot packed;
        const auto write = [&](std::string_view bytes) {
            packed.packed_bytes += bytes.size();
            return out.write(bytes);
        };
        packed.unpacked_from = value_or_throw(
            read_snapshot_bytes(path, progress, [&](std::string_view piece, std::optional<std::uint64_t> size_bytes) {
                return packer.take(piece, size_bytes, write);
            }));
        throw_if_error(packer.end(write));
        packed.content_bytes = packer.taken_bytes();
        return packed;
    });
}

}  // namespace snapviewer
