#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/load/bytes/byte_source.h"

namespace snapviewer {

/// Base of all decompressing readers. Reads one or more packed streams in a row, with zero bytes between them at most.
/// Ignores any other data behind the last one, as gunzip does. If the input ends early or is damaged, read() returns all
/// bytes before that and then throws a failure that is_cut, with the offset in the packed input.
class PackedReader : public ByteReader {
public:
    std::size_t read(std::span<char> room) final;

protected:
    enum class Outcome : std::uint8_t { going_on, end_of_stream, damaged };

    /// `packed` outlives this. `how` is for errors: "gzipped".
    PackedReader(ByteSource& packed, std::string_view how) : packed_(packed), how_(how) {}

    /// Unpacks from the front of `in` to the front of `out`, and removes the used bytes from both. `in` is empty only if
    /// output is left.
    virtual Outcome unpack(std::string_view& in, std::span<char>& out) = 0;
    /// Whether more comes out without more going in.
    virtual bool holds_output() const { return false; }
    /// Makes ready for another stream if `first` is the byte one begins with.
    virtual bool begin_another(char first) = 0;

private:
    bool has_input();
    bool begins_another(std::uint64_t unpacked_bytes);
    [[noreturn]] void fail_here(std::string_view what) const;

    ByteSource& packed_;
    std::string_view how_;
    std::string_view in_;             ///< taken from packed_ and not yet unpacked
    std::uint64_t packed_bytes_ = 0;  ///< taken from packed_ so far
    std::uint64_t zeros_at_end_ = 0;  ///< zeros at the end of the input so far
    std::uint64_t unpacked_bytes_ = 0;
    std::uint64_t stream_begin_ = 0;  ///< how much was unpacked when the present stream began
    std::uint64_t empty_streams_ = 0;
    bool at_end_ = false;
    std::exception_ptr failure_;  ///< for when what came before it was read
};

}  // namespace snapviewer

struct z_stream_s;

namespace snapviewer {

/// Whether bytes begin like a gzip file.
bool looks_like_gzip(std::string_view front);

/// Whether bytes begin like a zlib stream (RFC 1950) of the usual window, as joblib writes it.
bool looks_like_zlib(std::string_view front);

/// Unpacks gzip (RFC 1952), also several members one after another, or a single zlib stream.
class GzipReader : public PackedReader {
public:
    enum class Kind : std::uint8_t { gzip, zlib };
    explicit GzipReader(ByteSource& packed, Kind kind = Kind::gzip);

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool begin_another(char first) override;

    struct End {
        void operator()(z_stream_s* stream) const;
    };
    std::unique_ptr<z_stream_s, End> stream_;
    Kind kind_;
};

/// Whether bytes begin like a bzip2 file.
bool looks_like_bzip2(std::string_view front);

/// Unpacks bzip2, also several files one after another, as pbzip2 writes them. Needs up to 4 MB.
class Bzip2Reader : public PackedReader {
public:
    explicit Bzip2Reader(ByteSource& packed);
    ~Bzip2Reader() override;

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool begin_another(char first) override;

    struct Stream;
    std::unique_ptr<Stream> stream_;
};

/// Whether bytes begin like an .xz file, and like one of the older .lzma files.
bool looks_like_xz(std::string_view front);
bool looks_like_lzma(std::string_view front);

/// Unpacks .xz or .lzma ("LZMA alone"), also several files one after another. A file says how much memory it needs; one that
/// asks for more than limits::k_dictionary_bytes is a failure.
class LzmaReader : public PackedReader {
public:
    enum class Kind : std::uint8_t { xz, lzma };

    LzmaReader(ByteSource& packed, Kind kind);
    ~LzmaReader() override;

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool begin_another(char first) override;
    void begin();

    struct Stream;
    Kind kind_;
    std::unique_ptr<Stream> stream_;
};

}  // namespace snapviewer

struct ZSTD_DCtx_s;

namespace snapviewer {

/// Whether bytes begin like a Zstandard file: with a frame, or with a skippable one, as parallel packers write it first.
bool looks_like_zstd(std::string_view front);

/// Unpacks Zstandard (RFC 8878), also several frames one after another, skippable ones among them. Check sums are verified.
/// A frame says how large its window is; one that asks for more than limits::k_zstd_window_log, or for a dictionary that is
/// not in the file, is a failure.
class ZstdReader : public PackedReader {
public:
    explicit ZstdReader(ByteSource& packed);

private:
    Outcome unpack(std::string_view& in, std::span<char>& out) override;
    bool holds_output() const override { return holds_output_; }
    bool begin_another(char first) override;
    Outcome refuse(std::size_t code, std::string_view in) const;

    struct End {
        void operator()(ZSTD_DCtx_s* context) const;
    };
    MemoryAccount* windows_;  ///< charged for the window; may be null
    std::unique_ptr<ZSTD_DCtx_s, End> context_;
    static constexpr std::size_t k_first_bytes = 5;  ///< of a frame, by which the length of its header is known
    /// Up to the end of a block: a call that fails, be it in the header of the next one, gives nothing of what it unpacked.
    std::size_t next_bytes_ = k_first_bytes;
    std::string header_;              ///< the first bytes of the frame, which say what it asks for
    std::uint64_t empty_blocks_ = 0;  ///< calls since something came out; each is given a block at most
    bool holds_output_ = false;       ///< the last call may have left some behind for want of room
};

/// A program's way to pack one file. All of them are rows of one table, told by the bytes that a file begins with.
struct Packing {
    const char* name;  ///< as Snapshot::container has it
    const char* context;
    std::uint64_t usual_ratio;  ///< of the content to the file
    bool is_dense;              ///< JSON may become far more than that
    bool (*looks_like)(std::string_view front);
    std::unique_ptr<ByteReader> (*unpack)(ByteSource& packed);  ///< what it gives reads `packed`, which outlives it
};

/// The one that bytes begin like; null of anything else.
const Packing* packing_of(std::string_view front);

/// What unpacks `packed`, which outlives it, where the program is known by name: "zstd"; null otherwise.
std::unique_ptr<ByteReader> make_unpacker(std::string_view name, ByteSource& packed);

}  // namespace snapviewer
