#include "core/load/bytes/packings.h"

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "core/base/number_text.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/bytes/limits.h"
#include "core/load/bytes/pages.h"

namespace snapviewer {
namespace {

/// Minimum number of zeros at the end of a file that was not written completely. Compressed data hardly ever ends like this.
constexpr std::uint64_t k_zeros = 16;

}  // namespace

void PackedReader::fail_here(std::string_view what) const {
    fail_cut(fmt::format("is {}, and the compressed data {}", how_, what), packed_bytes_ - in_.size(),
             "of the compressed file");
}

bool PackedReader::has_input() {
    if (!in_.empty()) return true;
    in_ = packed_.next_piece();
    packed_bytes_ += in_.size();
    if (in_.empty()) return false;
    const std::size_t last = in_.find_last_not_of('\0');
    zeros_at_end_ = last == in_.npos ? zeros_at_end_ + in_.size() : in_.size() - 1 - last;
    return true;
}

/// Returns true if another stream follows. Call after the end of a stream; `unpacked_bytes` is the total so far.
bool PackedReader::begins_another(std::uint64_t unpacked_bytes) {
    if (std::exchange(stream_begin_, unpacked_bytes) == unpacked_bytes && ++empty_streams_ > limits::k_empty_streams)
        fail(fmt::format("is {}, with more empty streams than any real file has", how_));
    while (has_input() && in_.front() == '\0') in_.remove_prefix(1);
    return !in_.empty() && begin_another(in_.front());
}

std::size_t PackedReader::read(std::span<char> room) {
    if (unpacked_bytes_ > limits::k_inflated_bytes) fail("unpacks to more than any real snapshot", packed_bytes_);
    std::span<char> left = room;
    while (!left.empty() && !at_end_ && !failure_) {
        try {
            if (!holds_output() && !has_input())
                fail_here(zeros_at_end_ >= k_zeros ? "is damaged, because it ends in zeros" : "is cut short");
            switch (unpack(in_, left)) {
                case Outcome::going_on: break;
                case Outcome::end_of_stream: at_end_ = !begins_another(unpacked_bytes_ + room.size() - left.size()); break;
                case Outcome::damaged: fail_here("is damaged");
            }
        } catch (const Failure&) {
            failure_ = std::current_exception();
        }
    }
    const std::size_t size = room.size() - left.size();
    if (size == 0 && failure_) std::rethrow_exception(failure_);
    unpacked_bytes_ += size;
    return size;
}

namespace {

constexpr int k_largest_window = 15;    // with zlib's header and check sum
constexpr int k_gzip_window = 15 + 16;  // with gzip's header and check sum

}  // namespace

bool looks_like_gzip(std::string_view front) { return front.starts_with("\x1f\x8b"); }

bool looks_like_zlib(std::string_view front) {
    // the second byte depends on the level; the third begins a block, of which there are three types
    constexpr std::string_view k_levels = "\x01\x5e\x9c\xda";
    return front.size() > 2 && front[0] == '\x78' && k_levels.find(front[1]) != k_levels.npos && (front[2] >> 1 & 3) != 3;
}

void GzipReader::End::operator()(z_stream* stream) const {
    inflateEnd(stream);
    delete stream;
}

GzipReader::GzipReader(ByteSource& packed, Kind kind)
    : PackedReader(packed, kind == Kind::gzip ? "gzipped" : "compressed with zlib"), stream_(new z_stream{}), kind_(kind) {
    if (inflateInit2(stream_.get(), kind == Kind::gzip ? k_gzip_window : k_largest_window) != Z_OK) throw std::bad_alloc();
}

PackedReader::Outcome GzipReader::unpack(std::string_view& in, std::span<char>& out) {
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_->avail_in = static_cast<uInt>(in.size());
    stream_->next_out = reinterpret_cast<Bytef*>(out.data());
    stream_->avail_out = static_cast<uInt>(out.size());
    const int status = inflate(stream_.get(), Z_NO_FLUSH);
    in = in.substr(in.size() - stream_->avail_in);
    out = out.last(stream_->avail_out);
    if (status == Z_STREAM_END) return Outcome::end_of_stream;
    return status == Z_OK || status == Z_BUF_ERROR ? Outcome::going_on : Outcome::damaged;
}

bool GzipReader::begin_another(char first) {
    return kind_ == Kind::gzip && first == '\x1f' && inflateReset(stream_.get()) == Z_OK;
}

namespace {

constexpr std::string_view k_block = "1AY&SY";           // the digits of pi, with which a block begins
constexpr std::string_view k_no_block = "\x17rE8P\x90";  // those of its root: the end of an empty file
constexpr std::string_view k_header = "BZh";             // a digit follows, the size of a block

}  // namespace

bool looks_like_bzip2(std::string_view front) {
    if (!front.starts_with(k_header) || front.size() <= k_header.size()) return false;
    const char level = front[k_header.size()];
    const std::string_view rest = front.substr(k_header.size() + 1);
    return level >= '1' && level <= '9' && (rest.starts_with(k_block) || rest.starts_with(k_no_block));
}

struct Bzip2Reader::Stream {
    Stream() {
        if (BZ2_bzDecompressInit(&of_library, 0, 0) != BZ_OK) throw std::bad_alloc();
    }
    ~Stream() { BZ2_bzDecompressEnd(&of_library); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    bz_stream of_library{};
};

Bzip2Reader::Bzip2Reader(ByteSource& packed)
    : PackedReader(packed, "compressed with bzip2"), stream_(std::make_unique<Stream>()) {}

Bzip2Reader::~Bzip2Reader() = default;

PackedReader::Outcome Bzip2Reader::unpack(std::string_view& in, std::span<char>& out) {
    bz_stream& stream = stream_->of_library;
    stream.next_in = const_cast<char*>(in.data());
    stream.avail_in = static_cast<unsigned>(in.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<unsigned>(out.size());
    const int status = BZ2_bzDecompress(&stream);
    in = in.substr(in.size() - stream.avail_in);
    out = out.last(stream.avail_out);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status == BZ_STREAM_END) return Outcome::end_of_stream;
    return status == BZ_OK ? Outcome::going_on : Outcome::damaged;
}

bool Bzip2Reader::begin_another(char first) {
    if (first != k_header.front()) return false;
    stream_ = std::make_unique<Stream>();
    return true;
}

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

namespace {

constexpr std::string_view k_frame_magic("\x28\xB5\x2F\xFD", 4);
// The first byte of a skippable frame is anything from 50 to 5F; its size follows in four bytes.
constexpr std::string_view k_skippable_after_first("\x2A\x4D\x18", 3);
constexpr char k_skippable_first = '\x50';
constexpr unsigned char k_skippable_mask = 0xF0;
constexpr std::size_t k_block_header_bytes = 3;
constexpr std::size_t k_zstd_header_bytes = 18;  // the longest header of a frame

bool begins_skippable(char first) {
    return (static_cast<unsigned char>(first) & k_skippable_mask) == static_cast<unsigned char>(k_skippable_first);
}

/// How large a window the header of a frame asks for (RFC 8878, section 3.1.1.1); 0 where the header does not say.
std::uint64_t window_bytes(std::string_view header) {
    constexpr unsigned k_single_segment = 1 << 5, k_least_log = 10, k_mantissa_bits = 3;
    if (header.size() < k_frame_magic.size() + 2) return 0;
    const auto descriptor = static_cast<unsigned char>(header[4]);
    if ((descriptor & k_single_segment) == 0) {
        const auto window = static_cast<unsigned char>(header[5]);
        const std::uint64_t base = std::uint64_t{1} << (k_least_log + (window >> k_mantissa_bits));
        return base + (base >> k_mantissa_bits) * (window & ((1U << k_mantissa_bits) - 1));
    }
    // Without a window of its own it is as large as the content, whose size follows the number of the dictionary.
    constexpr std::size_t k_dictionary_field[] = {0, 1, 2, 4}, k_size_field[] = {1, 2, 4, 8};
    const std::size_t at = 5 + k_dictionary_field[descriptor & 3], size = k_size_field[descriptor >> 6];
    return header.size() < at + size ? 0 : little_endian(header.substr(at, size)) + (size == 2 ? 256 : 0);
}

}  // namespace

bool looks_like_zstd(std::string_view front) {
    if (front.starts_with(k_frame_magic)) return true;
    return front.size() >= k_frame_magic.size() && begins_skippable(front[0]) &&
           front.substr(1).starts_with(k_skippable_after_first);
}

void ZstdReader::End::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

ZstdReader::ZstdReader(ByteSource& packed)
    : PackedReader(packed, "compressed with Zstandard"), windows_(windows_of_this_thread()) {
    const auto take = [](void* account, std::size_t bytes) {
        return malloc_from(static_cast<MemoryAccount*>(account), bytes);
    };
    const auto give_back = [](void* account, void* block) { free_to(static_cast<MemoryAccount*>(account), block); };
    context_.reset(ZSTD_createDCtx_advanced({take, give_back, windows_}));
    if (!context_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, limits::k_zstd_window_log);
}

PackedReader::Outcome ZstdReader::unpack(std::string_view& in, std::span<char>& out) {
    ZSTD_inBuffer input{in.data(), std::min(in.size(), next_bytes_), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input);
    if (ZSTD_isError(left) != 0) return refuse(left, in);
    empty_blocks_ = output.pos > 0 ? 0 : empty_blocks_ + 1;
    if (empty_blocks_ > limits::k_empty_blocks)
        fail("is compressed with Zstandard, with more empty blocks than any real file has");
    header_ += in.substr(0, std::min(input.pos, k_zstd_header_bytes - header_.size()));
    in.remove_prefix(input.pos);
    out = out.subspan(output.pos);
    next_bytes_ = left > k_block_header_bytes ? left - k_block_header_bytes : left;
    holds_output_ = left != 0 && out.empty();
    return left == 0 ? Outcome::end_of_stream : Outcome::going_on;
}

/// What it means that the library cannot go on, `in` being what it was given last.
PackedReader::Outcome ZstdReader::refuse(std::size_t code, std::string_view in) const {
    switch (ZSTD_getErrorCode(code)) {
        case ZSTD_error_memory_allocation: fail_without_memory(windows_);
        case ZSTD_error_frameParameter_windowTooLarge:
            fail(fmt::format(
                "is compressed with a Zstandard window of {}, which takes as much memory to unpack; the most is {}. "
                "compress it again without --long or --ultra, or unpack it first",
                format_bytes(window_bytes(header_ + std::string(in.substr(0, k_zstd_header_bytes)))),
                format_bytes(std::uint64_t{1} << limits::k_zstd_window_log)));
        case ZSTD_error_dictionary_wrong:
            fail(
                "is compressed with a Zstandard dictionary, which is not in the file; unpack it first, with zstd -d -D "
                "DICTIONARY");
        case ZSTD_error_version_unsupported:
        case ZSTD_error_frameParameter_unsupported:
            fail("is compressed with options that are not supported; unpack it first with the program that made it");
        default: return Outcome::damaged;
    }
}

bool ZstdReader::begin_another(char first) {
    if (first != k_frame_magic.front() && !begins_skippable(first)) return false;
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    header_.clear();
    next_bytes_ = k_first_bytes;
    return true;
}

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
