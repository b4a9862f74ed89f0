#include "core/load/bytes/sources.h"

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>

#include "core/base/budget.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/bytes/pages.h"
#include "core/system/streams.h"

namespace snapviewer::bytes {
namespace {

constexpr std::size_t k_source_piece_bytes = std::size_t{256} * 1024;

std::atomic<bool> g_input_was_taken{false};

// ------------------------------------------------------------------------------------ unpacking several streams of one file

/// Minimum number of zeros at the end of a file that was not written completely. Compressed data hardly ever ends like this.
constexpr std::uint64_t k_zeros = 16;

/// Base of the readers of compressed files, each of which unpacks one stream with a library.
class PackedReader : public ByteReader {
public:
    std::size_t read(std::span<char> buffer) final {
        if (unpacked_bytes_ > limits::k_inflated_bytes) fail("unpacks to more than any real snapshot", packed_bytes_);
        std::span<char> left = buffer;
        while (!left.empty() && !at_end_ && !failure_) {
            try {
                if (!has_output() && !has_input())
                    fail_here(zeros_at_end_ >= k_zeros ? "is damaged, because it ends in zeros" : "is cut short");
                switch (unpack(in_, left)) {
                    case Outcome::unfinished: break;
                    case Outcome::end_of_stream:
                        at_end_ = !begins_another(unpacked_bytes_ + buffer.size() - left.size());
                        break;
                    case Outcome::damaged: fail_here("is damaged");
                }
            } catch (const Failure&) {
                failure_ = std::current_exception();
            }
        }
        const std::size_t size = buffer.size() - left.size();
        if (size == 0 && failure_) std::rethrow_exception(failure_);
        unpacked_bytes_ += size;
        return size;
    }

protected:
    enum class Outcome : std::uint8_t { unfinished, end_of_stream, damaged };

    /// `how` is for errors: "gzipped".
    PackedReader(ByteSource& packed, const char* how) : packed_(packed), how_(how) {}

    /// Unpacks from the front of `in` to the front of `out`, and removes the used bytes from both. `in` is empty only if
    /// has_output() is true.
    virtual Outcome unpack(std::string_view& in, std::span<char>& out) = 0;
    /// True if the library holds unpacked bytes that did not fit into `out`.
    virtual bool has_output() const { return false; }
    /// Prepares for another stream. Returns false if no stream begins with the byte `first`.
    virtual bool begin_another(char first) = 0;

private:
    bool has_input() {
        if (!in_.empty()) return true;
        in_ = packed_.next_piece();
        packed_bytes_ += in_.size();
        if (in_.empty()) return false;
        const std::size_t last = in_.find_last_not_of('\0');
        zeros_at_end_ = last == in_.npos ? zeros_at_end_ + in_.size() : in_.size() - 1 - last;
        return true;
    }

    /// Skips to the next stream, after the end of one. Returns false if no stream follows. `unpacked_bytes` is the total so
    /// far.
    bool begins_another(std::uint64_t unpacked_bytes) {
        if (std::exchange(stream_begin_, unpacked_bytes) == unpacked_bytes && ++empty_streams_ > limits::k_empty_streams)
            fail(fmt::format("is {}, with more empty streams than any real file has", how_));
        while (has_input() && in_.front() == '\0') in_.remove_prefix(1);
        return !in_.empty() && begin_another(in_.front());
    }

    [[noreturn]] void fail_here(std::string_view what) const {
        fail_cut(fmt::format("is {}, and the compressed data {}", how_, what), packed_bytes_ - in_.size(),
                 "of the compressed file");
    }

    ByteSource& packed_;
    const char* how_;
    std::string_view in_;             ///< Part of the newest piece of packed_ that was not unpacked yet
    std::uint64_t packed_bytes_ = 0;  ///< Size of all pieces so far
    std::uint64_t zeros_at_end_ = 0;  ///< Number of zeros at the end of all pieces so far
    std::uint64_t unpacked_bytes_ = 0;
    std::uint64_t stream_begin_ = 0;  ///< Value of unpacked_bytes_ at the beginning of the current stream
    std::uint64_t empty_streams_ = 0;
    bool at_end_ = false;
    std::exception_ptr failure_;  ///< Exception to throw once read() has returned all bytes before the damage
};

/// Runs one step of a library, whose stream has the members of zlib's. Removes the used bytes from `in` and `out`.
template <typename Stream, typename Step>
auto run_step(Stream& stream, std::string_view& in, std::span<char>& out, Step step) {
    stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<char*>(in.data()));
    stream.avail_in = static_cast<decltype(stream.avail_in)>(in.size());
    stream.next_out = reinterpret_cast<decltype(stream.next_out)>(out.data());
    stream.avail_out = static_cast<decltype(stream.avail_out)>(out.size());
    const auto status = step(&stream);
    in = in.substr(in.size() - stream.avail_in);
    out = out.last(stream.avail_out);
    return status;
}

/// The account to which libraries charge their windows, or null if the calling thread has no budget.
MemoryAccount* windows_of_this_thread() {
    Budget* const budget = Context::current().budget;
    return budget == nullptr ? nullptr : &budget->windows();
}

/// Throws for a library that gets no memory for its window: an `unsupported` Failure if `windows` has reached its limit,
/// else std::bad_alloc, because the system refused. `windows` may be null.
[[noreturn]] void fail_without_memory(const MemoryAccount* windows) {
    if (windows == nullptr || !windows->is_exceeded()) throw std::bad_alloc();
    throw Failure{
        {ErrorCode::unsupported, "needs more than 512 MiB of memory to unpack its layers together; unpack it first"}};
}

[[noreturn]] void fail_with_options() {
    fail("is compressed with options that are not supported; unpack it first with the program that made it");
}

// -------------------------------------------------------------------------------------------------- unpacking zlib and gzip

constexpr int k_zlib_window = 15;       // data with zlib's header and checksum
constexpr int k_gzip_window = 15 + 16;  // data with gzip's header and checksum
constexpr int k_raw_window = -15;       // data without a header and a checksum

bool looks_like_gzip(std::string_view front) { return front.starts_with("\x1f\x8b"); }

/// A zlib stream (RFC 1950) with the usual window, as joblib writes it.
bool looks_like_zlib(std::string_view front) {
    // the second byte depends on the level; the third begins a block, which has one of three types
    constexpr std::string_view k_levels = "\x01\x5e\x9c\xda";
    return front.size() > 2 && front[0] == '\x78' && k_levels.find(front[1]) != k_levels.npos && (front[2] >> 1 & 3) != 3;
}

class ZlibReader final : public PackedReader {
public:
    ZlibReader(ByteSource& packed, int window)
        : PackedReader(packed, window == k_gzip_window   ? "gzipped"
                               : window == k_zlib_window ? "compressed with zlib"
                                                         : "compressed with deflate"),
          window_(window) {
        if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
    }
    ~ZlibReader() override { inflateEnd(&stream_); }

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override {
        const int status = run_step(stream_, in, out, [](z_stream* stream) { return inflate(stream, Z_NO_FLUSH); });
        if (status == Z_STREAM_END) return Outcome::end_of_stream;
        return status == Z_OK || status == Z_BUF_ERROR ? Outcome::unfinished : Outcome::damaged;
    }
    bool begin_another(char first) override {
        return window_ == k_gzip_window && first == '\x1f' && inflateReset(&stream_) == Z_OK;
    }

    z_stream stream_{};
    int window_;
};

// ---------------------------------------------------------------------------------------------------- unpacking bzip2

bool looks_like_bzip2(std::string_view front) {
    constexpr std::string_view k_block = "1AY&SY";           // a bzip2 block begins with the digits of pi
    constexpr std::string_view k_no_block = "\x17rE8P\x90";  // an empty bzip2 file ends with the digits of pi's square root
    if (!front.starts_with("BZh") || front.size() < 4 || front[3] < '1' || front[3] > '9') return false;
    return front.substr(4).starts_with(k_block) || front.substr(4).starts_with(k_no_block);
}

/// Needs up to 4 MB, which are not charged.
class Bzip2Reader final : public PackedReader {
public:
    explicit Bzip2Reader(ByteSource& packed) : PackedReader(packed, "compressed with bzip2") { begin(); }
    ~Bzip2Reader() override { BZ2_bzDecompressEnd(&stream_); }

private:
    void begin() {
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    }
    Outcome unpack(std::string_view& in, std::span<char>& out) override {
        const int status = run_step(stream_, in, out, BZ2_bzDecompress);
        if (status == BZ_MEM_ERROR) throw std::bad_alloc();
        if (status == BZ_STREAM_END) return Outcome::end_of_stream;
        return status == BZ_OK ? Outcome::unfinished : Outcome::damaged;
    }
    bool begin_another(char first) override {
        if (first != 'B') return false;
        BZ2_bzDecompressEnd(&stream_);
        begin();
        return true;
    }

    bz_stream stream_{};
};

// ---------------------------------------------------------------------------------------------------- unpacking xz and LZMA

constexpr char k_xz_first = '\xFD', k_lzma_first = '\x5d';

bool looks_like_xz(std::string_view front) {
    return front.starts_with(
        std::string_view("\xFD"
                         "7zXZ\0",
                         6));
}

/// An .lzma file has no signature. It begins with a byte of properties, the size of the dictionary in 4 bytes and the size
/// of the content in 8 bytes, all ones if it is unknown; the first packed byte is 0. Writers use dictionaries of a power of
/// two, or of one and a half of it.
bool looks_like_lzma(std::string_view front) {
    constexpr unsigned k_properties = 9 * 5 * 5;
    constexpr std::uint64_t k_unknown_size = ~std::uint64_t{0}, k_believable_size = std::uint64_t{1} << 38;
    if (front.size() < 14 || front[13] != '\0') return false;
    const std::uint64_t dictionary = little_endian(front.substr(1, 4)), size = little_endian(front.substr(5, 8));
    const std::uint64_t power = std::bit_floor(dictionary);
    return static_cast<unsigned char>(front[0]) < k_properties && dictionary >= 4096 &&
           (dictionary == power || dictionary == power + power / 2 || dictionary == 0xFFFFFFFF) &&
           (size == k_unknown_size || size < k_believable_size);
}

class LzmaReader final : public PackedReader {
public:
    /// `first` is k_xz_first or k_lzma_first: the first byte of any further stream.
    LzmaReader(ByteSource& packed, char first)
        : PackedReader(packed, first == k_xz_first ? "compressed with xz" : "compressed with LZMA"), first_(first) {
        begin();
    }
    ~LzmaReader() override { lzma_end(&stream_); }

private:
    void begin() {
        stream_.allocator = &allocator_;
        const lzma_ret status = first_ == k_xz_first ? lzma_stream_decoder(&stream_, limits::k_dictionary_bytes, 0)
                                                     : lzma_alone_decoder(&stream_, limits::k_dictionary_bytes);
        if (status != LZMA_OK) fail_without_memory(windows_);
    }
    Outcome unpack(std::string_view& in, std::span<char>& out) override {
        switch (run_step(stream_, in, out, [](lzma_stream* stream) { return lzma_code(stream, LZMA_RUN); })) {
            case LZMA_OK: return Outcome::unfinished;
            case LZMA_STREAM_END: return Outcome::end_of_stream;
            case LZMA_MEM_ERROR: fail_without_memory(windows_);
            case LZMA_MEMLIMIT_ERROR:
                fail(fmt::format(
                    "needs {} of memory to unpack, more than the limit of {}; compress it again with a smaller dictionary",
                    format_bytes(lzma_memusage(&stream_)), format_bytes(limits::k_dictionary_bytes)));
            case LZMA_OPTIONS_ERROR: fail_with_options();
            default: return Outcome::damaged;
        }
    }
    bool begin_another(char first) override {
        if (first != first_) return false;
        begin();
        return true;
    }

    char first_;
    MemoryAccount* windows_ = windows_of_this_thread();
    lzma_allocator allocator_{[](void* account, std::size_t count, std::size_t bytes) {
                                  return malloc_from(static_cast<MemoryAccount*>(account), count * bytes);
                              },
                              [](void* account, void* block) { free_to(static_cast<MemoryAccount*>(account), block); },
                              windows_};
    lzma_stream stream_ = LZMA_STREAM_INIT;
};

// ---------------------------------------------------------------------------------------------------- unpacking Zstandard

constexpr std::string_view k_frame_magic("\x28\xB5\x2F\xFD", 4);

/// The first byte of a skippable frame is between 0x50 and 0x5F.
bool begins_skippable(char first) { return (static_cast<unsigned char>(first) & 0xF0) == 0x50; }

/// Begins with a frame, or with a skippable frame, which parallel packers write first.
bool looks_like_zstd(std::string_view front) {
    if (front.starts_with(k_frame_magic)) return true;
    return front.size() >= 4 && begins_skippable(front[0]) && front.substr(1).starts_with("\x2A\x4D\x18");
}

/// Returns the size of the window that the header of a frame states (RFC 8878, section 3.1.1.1); 0 if it is incomplete.
std::uint64_t window_bytes(std::string_view header) {
    constexpr unsigned k_single_segment = 1 << 5, k_min_log = 10, k_mantissa_bits = 3;
    if (header.size() < k_frame_magic.size() + 2) return 0;
    const auto descriptor = static_cast<unsigned char>(header[4]);
    if ((descriptor & k_single_segment) == 0) {
        const auto window = static_cast<unsigned char>(header[5]);
        const std::uint64_t base = std::uint64_t{1} << (k_min_log + (window >> k_mantissa_bits));
        return base + (base >> k_mantissa_bits) * (window & ((1U << k_mantissa_bits) - 1));
    }
    // If the header states no window size, the window has the size of the content. That size is stored after the number of
    // the dictionary.
    constexpr std::size_t k_dictionary_field[] = {0, 1, 2, 4}, k_size_field[] = {1, 2, 4, 8};
    const std::size_t at = 5 + k_dictionary_field[descriptor & 3], size = k_size_field[descriptor >> 6];
    return header.size() < at + size ? 0 : little_endian(header.substr(at, size)) + (size == 2 ? 256 : 0);
}

class ZstdReader final : public PackedReader {
public:
    explicit ZstdReader(ByteSource& packed) : PackedReader(packed, "compressed with Zstandard") {
        const auto allocate = [](void* account, std::size_t bytes) {
            return malloc_from(static_cast<MemoryAccount*>(account), bytes);
        };
        const auto release = [](void* account, void* block) { free_to(static_cast<MemoryAccount*>(account), block); };
        context_.reset(ZSTD_createDCtx_advanced({allocate, release, windows_}));
        if (!context_) throw std::bad_alloc();
        ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, limits::k_zstd_window_log);
    }

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override {
        ZSTD_inBuffer input{in.data(), std::min(in.size(), next_bytes_), 0};
        ZSTD_outBuffer output{out.data(), out.size(), 0};
        const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input);
        if (ZSTD_isError(left) != 0) return outcome_of_error(left, in);
        empty_blocks_ = output.pos > 0 ? 0 : empty_blocks_ + 1;
        if (empty_blocks_ > limits::k_empty_blocks)
            fail("is compressed with Zstandard, with more empty blocks than any real file has");
        header_ += in.substr(0, std::min(input.pos, k_header_bytes - header_.size()));
        in.remove_prefix(input.pos);
        out = out.subspan(output.pos);
        constexpr std::size_t k_block_header_bytes = 3;  // `left` counts the header of the next block
        next_bytes_ = left > k_block_header_bytes ? left - k_block_header_bytes : left;
        has_output_ = left != 0 && out.empty();
        return left == 0 ? Outcome::end_of_stream : Outcome::unfinished;
    }

    bool has_output() const override { return has_output_; }
    bool begin_another(char first) override {
        if (first != k_frame_magic.front() && !begins_skippable(first)) return false;
        ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
        header_.clear();
        next_bytes_ = k_first_bytes;
        return true;
    }

    /// Throws if Zstandard does not support the file. `in` is the input of the call that failed.
    Outcome outcome_of_error(std::size_t code, std::string_view in) const {
        switch (ZSTD_getErrorCode(code)) {
            case ZSTD_error_memory_allocation: fail_without_memory(windows_);
            case ZSTD_error_frameParameter_windowTooLarge:
                fail(fmt::format(
                    "is compressed with a Zstandard window of {}, which takes as much memory to unpack; the most is {}. "
                    "compress it again without --long or --ultra, or unpack it first",
                    format_bytes(window_bytes(header_ + std::string(in.substr(0, k_header_bytes)))),
                    format_bytes(std::uint64_t{1} << limits::k_zstd_window_log)));
            case ZSTD_error_dictionary_wrong:
                fail(
                    "is compressed with a Zstandard dictionary, which is not in the file; unpack it first, with zstd -d -D "
                    "DICTIONARY");
            case ZSTD_error_version_unsupported:
            case ZSTD_error_frameParameter_unsupported: fail_with_options();
            default: return Outcome::damaged;
        }
    }

    static constexpr std::size_t k_first_bytes = 5;    ///< Bytes of a frame that determine the size of its header
    static constexpr std::size_t k_header_bytes = 18;  ///< Maximum size of the header of a frame

    MemoryAccount* windows_ = windows_of_this_thread();
    std::unique_ptr<ZSTD_DCtx, decltype([](ZSTD_DCtx* context) { ZSTD_freeDCtx(context); })> context_;
    /// Number of bytes to pass to the next call. They end at the end of a block, because a call that fails returns nothing
    /// that it has unpacked, even if only the header of the next block is invalid.
    std::size_t next_bytes_ = k_first_bytes;
    std::string header_;              ///< First bytes of the frame
    std::uint64_t empty_blocks_ = 0;  ///< Number of calls in a row that gave no bytes
    bool has_output_ = false;
};

template <typename Reader, auto... arguments>
std::unique_ptr<ByteReader> unpack_with(ByteSource& packed) {
    return std::make_unique<Reader>(packed, arguments...);
}

constexpr bool never(std::string_view) { return false; }

constexpr std::array k_packings = {
    Packing{"gzip", "as unpacked by gunzip", 8, false, looks_like_gzip, unpack_with<ZlibReader, k_gzip_window>},
    Packing{"zlib", "as unpacked by zlib", 8, false, looks_like_zlib, unpack_with<ZlibReader, k_zlib_window>},
    Packing{"zip-deflate", "as unpacked by unzip", 8, false, never, unpack_with<ZlibReader, k_raw_window>},
    Packing{"bzip2", "as unpacked by bunzip2", 10, true, looks_like_bzip2, unpack_with<Bzip2Reader>},
    Packing{"xz", "as unpacked by unxz", 12, true, looks_like_xz, unpack_with<LzmaReader, k_xz_first>},
    Packing{"lzma", "as unpacked by unlzma", 12, true, looks_like_lzma, unpack_with<LzmaReader, k_lzma_first>},
    Packing{"zstd", "as unpacked by unzstd", 12, true, looks_like_zstd, unpack_with<ZstdReader>},
    Packing{"utf-16", "as converted to UTF-8", 1, false, looks_like_utf16, unpack_with<Utf16Reader>},
    Packing{"mhtml", "as decoded from MHTML", 1, false, looks_like_mhtml, unpack_with<MhtmlReader>},
};

}  // namespace

std::string_view MappedSource::next_piece() {
    check_stop();
    const std::size_t size_bytes = file_.size_bytes();
    if (reports_progress_) report_done(at_, size_bytes);
    if (at_ == size_bytes) return {};  // at the end of the file readers call this after almost every token, so return early
    throw_if_error(budget_of_thread().check_memory());
    if (at_ > k_source_piece_bytes) file_.release_up_to(at_ - k_source_piece_bytes);
    const std::size_t begin = at_;
    at_ += std::min(k_source_piece_bytes, size_bytes - at_);
    const std::span<const std::byte> piece = file_.bytes_up_to(at_).subspan(begin);
    return {reinterpret_cast<const char*>(piece.data()), piece.size()};
}

PeekedSource::PeekedSource(ByteSource& inner) : inner_(inner), front_(inner.next_piece()) {
    if (front_.empty() || front_.size() >= k_min_front_bytes) return;
    joined_ = front_;
    try {
        std::string_view more = front_;
        while (joined_.size() < k_min_front_bytes && !more.empty()) joined_ += more = inner_.next_piece();
    } catch (const Failure&) {
        // next_piece() throws the exception again after it has returned the bytes before the damage.
        failure_ = std::current_exception();
    }
    front_ = joined_;
}

std::string_view PeekedSource::next_piece() {
    if (!std::exchange(is_front_returned_, true) && !front_.empty()) return front_;
    if (failure_) std::rethrow_exception(failure_);
    return inner_.next_piece();
}

Status StandardInputSource::take() {
    if (is_input_terminal())
        return Error{
            ErrorCode::io,
            "is a terminal; expected a file or what another program writes, as in: zstdcat FILE | snapviewer info -"};
    if (g_input_was_taken.exchange(true))
        return Error{ErrorCode::io, "can be read only once; write it to a file to open it again"};
    return {};
}

StandardInputSource::StandardInputSource() : expected_bytes_(size_of_input_bytes()), buffer_(k_source_piece_bytes) {}

std::string_view StandardInputSource::next_piece() {
    report_done(read_bytes_, expected_bytes_);
    while (true) {
        check_stop();
        throw_if_error(budget_of_thread().check_memory());
        std::error_code failed;
        const std::optional<std::size_t> size = read_input(buffer_, k_stop_poll_interval, failed);
        if (failed) throw_if_error(Error{ErrorCode::io, "cannot be read: " + failed.message()});
        if (!size) continue;
        budget_of_thread().add_file(*size);
        read_bytes_ += *size;
        return {buffer_.data(), *size};
    }
}

ReadAhead::ReadAhead(ByteReader& reader) : reader_(reader) {
    for (std::vector<char>& piece : ring_) piece.resize(k_source_piece_bytes);
    if (!has_threads()) return;
    thread_ = std::jthread([this, context = Context::current()](const std::stop_token& stop) {
        const ContextScope scope(context);
        read_on(stop);
    });
}

void ReadAhead::read_on(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return filled_ - given_back_ < k_pieces_ahead; })) {
        const std::size_t slot = filled_ % k_pieces_ahead;
        lock.unlock();
        std::size_t size = 0;
        std::exception_ptr failure;
        try {
            size = read_into(ring_[slot]);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        sizes_[slot] = size;
        failure_ = failure;
        at_end_ = size == 0;
        filled_ += at_end_ ? 0 : 1;
        changed_.notify_one();
        if (at_end_) return;
    }
}

std::size_t ReadAhead::read_into(std::vector<char>& piece) {
    const std::size_t size = reader_.read(piece);
    throw_if_error(budget_of_thread().unpack(size));
    return size;
}

std::string_view ReadAhead::next_piece() {
    check_stop();
    throw_if_error(budget_of_thread().check_memory());
    if (!thread_.joinable()) return {ring_[0].data(), read_into(ring_[0])};
    std::unique_lock lock(mutex_);
    if (std::exchange(holds_piece_, false)) {
        ++given_back_;
        changed_.notify_one();
    }
    changed_.wait(lock, [&] { return filled_ > given_back_ || at_end_; });
    if (filled_ == given_back_) {
        if (failure_) std::rethrow_exception(failure_);
        return {};
    }
    holds_piece_ = true;
    const std::size_t slot = given_back_ % k_pieces_ahead;
    return {ring_[slot].data(), sizes_[slot]};
}

std::optional<Failure> read_to_end(ByteSource& source) {
    try {
        while (!source.next_piece().empty()) continue;
        return std::nullopt;
    } catch (const Failure& failure) {
        if (failure.is_cut) return failure;
        if (failure.error.code == ErrorCode::unsupported) return std::nullopt;  // the load has used up its budget
        throw;
    }
}

const Packing* packing_of(std::string_view front) {
    const auto found = std::ranges::find_if(k_packings, [&](const Packing& packing) { return packing.looks_like(front); });
    return found == k_packings.end() ? nullptr : &*found;
}

std::unique_ptr<ByteReader> make_unpacker(std::string_view name, ByteSource& packed) {
    const auto found = std::ranges::find(k_packings, name, &Packing::name);
    return found == k_packings.end() ? nullptr : found->unpack(packed);
}

}  // namespace snapviewer::bytes
