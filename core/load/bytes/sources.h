#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/input_files.h"
#include "core/base/result.h"

namespace snapviewer::bytes {

/// Abstract source of bytes, read in pieces from front to back.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Returns the next piece, which is valid until the next call; an empty piece at the end, also on further calls. Throws
    /// Failure. Its is_cut is true if the input breaks off or is damaged here; then all earlier pieces are good.
    virtual std::string_view next_piece() = 0;
    /// True if consecutive pieces are contiguous in memory and stay valid as long as the source.
    virtual bool has_contiguous_pieces() const { return false; }
};

/// Abstract decoder, which writes unpacked bytes into a buffer of the caller.
class ByteReader {
public:
    virtual ~ByteReader() = default;
    /// Writes up to buffer.size() bytes into `buffer`, which must not be empty. Returns the number of bytes, or 0 at the
    /// end. Throws Failure as ByteSource::next_piece() does.
    virtual std::size_t read(std::span<char> buffer) = 0;
};

/// Throws a Failure with ErrorCode::bad_file. The file is the subject of `message`: "is a folder". `offset` is the place in
/// the file, and `context` the part of the file.
[[noreturn]] inline void fail(std::string message, std::optional<std::uint64_t> offset = std::nullopt,
                              std::string context = {}) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, std::move(context)}};
}

/// Throws a Failure with is_cut, for input that breaks off or cannot be decoded at `offset`. Everything before is good.
[[noreturn]] inline void fail_cut(std::string message, std::optional<std::uint64_t> offset, std::string context = {}) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, std::move(context)}, true};
}

/// Throws a Failure with is_cut and is_damage, for bytes that the format does not allow. Everything before them is good.
[[noreturn]] inline void fail_damaged(std::string message, std::optional<std::uint64_t> offset = std::nullopt) {
    throw Failure{{ErrorCode::bad_file, std::move(message), offset, {}}, true, true};
}

/// Returns the result of `read`. If `read` throws a Failure about wrong bytes that has no context yet, adds `context`, the
/// name of the part that `read` reads ("member a.json").
template <typename Read>
auto in_context(const std::string& context, Read read) {
    try {
        return read();
    } catch (Failure& failure) {
        if (failure.error.code == ErrorCode::bad_file && failure.error.context.empty()) failure.error.context = context;
        throw;
    }
}

/// Returns the little-endian number that `bytes` contain, at most 8 of them. Zip and LZMA store numbers like this.
inline std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

/// Reads a mapped file in pieces, which are contiguous in memory and stay valid. Throws if the work is to stop, and lets the
/// system drop the pages of all but the newest piece from memory. Reports progress, unless `reports_progress` is false
/// because another reader of the same load reports it.
class MappedSource : public ByteSource {
public:
    explicit MappedSource(MappedFile& file, bool reports_progress = true)
        : file_(file), reports_progress_(reports_progress) {}

    std::string_view next_piece() override;
    bool has_contiguous_pieces() const override { return true; }

private:
    MappedFile& file_;
    bool reports_progress_;
    std::size_t at_ = 0;
};

/// A byte source with look-ahead: its first bytes can be examined before they are read.
class PeekedSource : public ByteSource {
public:
    explicit PeekedSource(ByteSource& inner);

    /// Returns the first bytes, at least k_min_front_bytes unless the source is shorter. Valid until the next call of
    /// next_piece().
    std::string_view front() const { return front_; }
    std::string_view next_piece() override;
    bool has_contiguous_pieces() const override { return joined_.empty() && inner_.has_contiguous_pieces(); }

    static constexpr std::size_t k_min_front_bytes = 512;

private:
    ByteSource& inner_;
    std::string_view front_;
    std::string joined_;  ///< Copy of the first pieces, if the first one alone is shorter than k_min_front_bytes
    bool is_front_returned_ = false;
    std::exception_ptr failure_;
};

/// The bytes of standard input as they arrive. Blocks until more arrive, but throws within 100 ms if the work is to stop.
/// Every piece counts as part of the file for the budget of the load.
class StandardInputSource : public ByteSource {
public:
    /// Claims standard input, which can be read only once. Fails if it was claimed before, or if it is a terminal, where a
    /// person would have to type a snapshot.
    static Status take();

    /// Precondition: take() succeeded.
    explicit StandardInputSource();

    std::string_view next_piece() override;
    /// Total size in bytes if standard input is a file, else 0.
    std::uint64_t expected_bytes() const { return expected_bytes_; }

private:
    std::uint64_t expected_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
    std::vector<char> buffer_;
};

/// A byte source that unpacks on a background thread, a few pieces ahead of the consumer. Only those pieces are in memory.
/// The thread alone uses `reader` until the destructor stops it. In a program without threads, next_piece() unpacks a piece
/// itself.
class ReadAhead : public ByteSource {
public:
    explicit ReadAhead(ByteReader& reader);

    std::string_view next_piece() override;

private:
    static constexpr std::size_t k_pieces_ahead = 4;

    void read_on(const std::stop_token& stop);
    std::size_t read_into(std::vector<char>& piece);

    ByteReader& reader_;

    /// Ring buffer: piece i lies in ring_[i % k_pieces_ahead]. The thread fills it after piece i - k_pieces_ahead was read.
    std::array<std::vector<char>, k_pieces_ahead> ring_;
    std::array<std::size_t, k_pieces_ahead> sizes_{};
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t filled_ = 0;
    std::uint64_t given_back_ = 0;
    bool holds_piece_ = false;  ///< True while the consumer uses piece number given_back_
    bool at_end_ = false;
    std::exception_ptr failure_;
    /// Declared last, so that it ends before the members that it uses; not started in a program without threads.
    std::jthread thread_;
};

/// Reads the rest of a source, because unpackers verify their data at the end. Returns the damage that was found, or
/// nullopt. Stops without an error if the budget of the load is used up. Throws Failure if the source fails for another
/// reason.
std::optional<Failure> read_to_end(ByteSource& source);

/// A format that wraps the bytes of another file: compressed or encoded. The first bytes identify it.
struct Packing {
    const char* name;           ///< Name of the packing, as in Snapshot::container
    const char* context;        ///< Origin of the unpacked bytes, as error messages name it
    std::uint64_t usual_ratio;  ///< Typical ratio of unpacked to packed bytes
    bool is_dense;              ///< True if JSON may reach a far higher ratio
    bool (*looks_like)(std::string_view front);
    std::unique_ptr<ByteReader> (*unpack)(ByteSource& packed);  ///< Makes a reader; `packed` must outlive it
};

/// Returns the packing that the first bytes of a file identify, or null if the file is not packed.
const Packing* packing_of(std::string_view front);

/// Makes a reader that unpacks `packed`, which must outlive it, by the name of a packing: "zstd". Returns null if the name
/// is unknown. "zip-deflate" is the deflate data of a member of a zip, which first bytes do not identify.
///
/// Readers of compressed files verify checksums. They read one or more streams in a row, with zero bytes between them at
/// most, and ignore other data behind the last one, as gunzip does. If the input ends early or is damaged, read() returns
/// all bytes before that and then throws a Failure with is_cut and the offset in the packed input. A file that asks for more
/// memory than limits.h allows is a Failure.
std::unique_ptr<ByteReader> make_unpacker(std::string_view name, ByteSource& packed);

}  // namespace snapviewer::bytes
