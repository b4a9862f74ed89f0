#include "core/load/packings.h"

#include <algorithm>
#include <array>

#include "core/load/bzip2_reader.h"
#include "core/load/gzip_reader.h"
#include "core/load/lzma_reader.h"
#include "core/load/mhtml_reader.h"
#include "core/load/utf16_reader.h"
#include "core/load/zstd_reader.h"

namespace snapviewer {
namespace {

template <typename Reader, auto... arguments>
std::unique_ptr<ByteReader> unpack_with(ByteSource& packed) {
    return std::make_unique<Reader>(packed, arguments...);
}

constexpr std::array k_packings = {
    Packing{"gzip", "as unpacked by gunzip", 8, false, looks_like_gzip, unpack_with<GzipReader>},
    Packing{"zlib", "as unpacked by zlib", 8, false, looks_like_zlib, unpack_with<GzipReader, GzipReader::Kind::zlib>},
    Packing{"bzip2", "as unpacked by bunzip2", 10, true, looks_like_bzip2, unpack_with<Bzip2Reader>},
    Packing{"xz", "as unpacked by unxz", 12, true, looks_like_xz, unpack_with<LzmaReader, LzmaReader::Kind::xz>},
    Packing{"lzma", "as unpacked by unlzma", 12, true, looks_like_lzma, unpack_with<LzmaReader, LzmaReader::Kind::lzma>},
    Packing{"zstd", "as unpacked by unzstd", 12, true, looks_like_zstd, unpack_with<ZstdReader>},
    Packing{"utf-16", "as converted to UTF-8", 1, false, looks_like_utf16, unpack_with<Utf16Reader>},
    Packing{"mhtml", "as decoded from MHTML", 1, false, looks_like_mhtml, unpack_with<MhtmlReader>},
};

}  // namespace

const Packing* packing_of(std::string_view front) {
    const auto found = std::ranges::find_if(k_packings, [&](const Packing& packing) { return packing.looks_like(front); });
    return found == k_packings.end() ? nullptr : &*found;
}

std::unique_ptr<ByteReader> make_unpacker(std::string_view name, ByteSource& packed) {
    const auto found = std::ranges::find(k_packings, name, &Packing::name);
    return found == k_packings.end() ? nullptr : found->unpack(packed);
}

}  // namespace snapviewer
