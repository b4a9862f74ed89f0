#include "core/load/gzip_reader.h"

#include <zlib.h>

#include <new>

namespace snapviewer {
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

}  // namespace snapviewer
