#include "core/load/bzip2_reader.h"

#include <bzlib.h>

#include <new>

namespace snapviewer {
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

}  // namespace snapviewer
