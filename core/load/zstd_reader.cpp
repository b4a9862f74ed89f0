#include "core/load/zstd_reader.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "core/base/units.h"
#include "core/load/failure.h"
#include "core/load/limits.h"
#include "core/load/little_endian.h"

namespace snapviewer {
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

}  // namespace snapviewer
