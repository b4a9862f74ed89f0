#include "core/load/lzma_reader.h"

#include <fmt/format.h>
#include <lzma.h>

#include <bit>
#include <limits>
#include <new>

#include "core/base/units.h"
#include "core/load/failure.h"
#include "core/load/limits.h"
#include "core/load/little_endian.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_xz_header(
    "\xFD"
    "7zXZ\0",
    6);

// An .lzma file begins with a byte of properties, the size of the dictionary in 4 bytes and that of the content in 8, little
// end first; the first packed byte is 0. It has no signature of its own, so it is recognised by what writers put there.
constexpr std::size_t k_lzma_header_bytes = 13;
constexpr unsigned k_properties = 9 * 5 * 5;
constexpr std::uint64_t k_unknown_size = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t k_believable_size = std::uint64_t{1} << 38;

/// Sizes that writers use: a power of two, or one and a half of it.
bool is_usual_dictionary(std::uint64_t size) {
    const std::uint64_t largest = size == 0 ? 0 : std::bit_floor(size);
    return size >= 4096 && (size == largest || size == largest + largest / 2 || size == 0xFFFFFFFF);
}

}  // namespace

bool looks_like_xz(std::string_view front) { return front.starts_with(k_xz_header); }

bool looks_like_lzma(std::string_view front) {
    if (front.size() <= k_lzma_header_bytes || front[k_lzma_header_bytes] != '\0') return false;
    const std::uint64_t size = little_endian(front.substr(5, 8));
    return static_cast<unsigned char>(front[0]) < k_properties && is_usual_dictionary(little_endian(front.substr(1, 4))) &&
           (size == k_unknown_size || size < k_believable_size);
}

struct LzmaReader::Stream {
    Stream() { of_library.allocator = &allocator; }
    ~Stream() { lzma_end(&of_library); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    MemoryAccount* windows = windows_of_this_thread();
    lzma_allocator allocator{[](void* account, std::size_t count, std::size_t bytes) {
                                 return malloc_from(static_cast<MemoryAccount*>(account), count * bytes);
                             },
                             [](void* account, void* block) { free_to(static_cast<MemoryAccount*>(account), block); },
                             windows};
    lzma_stream of_library = LZMA_STREAM_INIT;
};

LzmaReader::LzmaReader(ByteSource& packed, Kind kind)
    : PackedReader(packed, kind == Kind::xz ? "compressed with xz" : "compressed with LZMA"),
      kind_(kind),
      stream_(std::make_unique<Stream>()) {
    begin();
}

LzmaReader::~LzmaReader() = default;

void LzmaReader::begin() {
    lzma_stream* stream = &stream_->of_library;
    const lzma_ret status = kind_ == Kind::xz ? lzma_stream_decoder(stream, limits::k_dictionary_bytes, 0)
                                              : lzma_alone_decoder(stream, limits::k_dictionary_bytes);
    if (status != LZMA_OK) fail_without_memory(stream_->windows);
}

PackedReader::Outcome LzmaReader::unpack(std::string_view& in, std::span<char>& out) {
    lzma_stream& stream = stream_->of_library;
    stream.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream.avail_in = in.size();
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream.avail_out = out.size();
    const lzma_ret status = lzma_code(&stream, LZMA_RUN);
    in = in.substr(in.size() - stream.avail_in);
    out = out.last(stream.avail_out);
    switch (status) {
        case LZMA_OK: return Outcome::going_on;
        case LZMA_STREAM_END: return Outcome::end_of_stream;
        case LZMA_MEM_ERROR: fail_without_memory(stream_->windows);
        case LZMA_MEMLIMIT_ERROR:
            fail(fmt::format(
                "needs {} of memory to unpack, more than the limit of {}; compress it again with a smaller dictionary",
                format_bytes(lzma_memusage(&stream)), format_bytes(limits::k_dictionary_bytes)));
        case LZMA_OPTIONS_ERROR:
            fail("is compressed with options that are not supported; unpack it first with the program that made it");
        default: return Outcome::damaged;
    }
}

bool LzmaReader::begin_another(char first) {
    if (first != (kind_ == Kind::xz ? k_xz_header.front() : '\x5d')) return false;
    begin();
    return true;
}

}  // namespace snapviewer
