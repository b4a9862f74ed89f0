#include "core/load/gzip_reader.h"

#include <zlib.h>

#include <new>
#include <string>

#include "core/load/failure.h"
#include "core/load/limits.h"

namespace snapviewer {
namespace {

constexpr int k_gzip_window = 15 + 16;  // the largest window; expect gzip's header and check sum

}  // namespace

bool looks_like_gzip(std::string_view front) { return front.starts_with("\x1f\x8b"); }

void GzipReader::End::operator()(z_stream* stream) const {
    inflateEnd(stream);
    delete stream;
}

GzipReader::GzipReader(ByteSource& packed) : packed_(packed), stream_(new z_stream{}) {
    if (inflateInit2(stream_.get(), k_gzip_window) != Z_OK) throw std::bad_alloc();
}

void GzipReader::fail_here(const char* what) const {
    fail_cut(std::string("is gzipped, and the packed data ") + what, packed_bytes_ - stream_->avail_in,
             "of the packed file");
}

bool GzipReader::has_input() {
    if (stream_->avail_in > 0) return true;
    const std::string_view piece = packed_.next_piece();
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_->avail_in = static_cast<uInt>(piece.size());
    packed_bytes_ += piece.size();
    return !piece.empty();
}

/// After the end of a member: whether what follows begins like the next.
bool GzipReader::begins_another_member() {
    if (!has_input() || *stream_->next_in != 0x1f) return false;
    inflateReset(stream_.get());
    return true;
}

std::size_t GzipReader::read(std::span<char> room) {
    if (inflated_bytes_ > limits::k_inflated_bytes) fail("unpacks to more than any snapshot", packed_bytes_);
    stream_->next_out = reinterpret_cast<Bytef*>(room.data());
    stream_->avail_out = static_cast<uInt>(room.size());
    while (stream_->avail_out > 0 && !at_end_) {
        try {
            if (!has_input()) fail_here("is cut short");
            const int status = inflate(stream_.get(), Z_NO_FLUSH);
            if (status == Z_STREAM_END) {
                at_end_ = !begins_another_member();
            } else if (status != Z_OK && status != Z_BUF_ERROR) {
                fail_here("is damaged");
            }
        } catch (const ReadFailure&) {
            if (stream_->avail_out < room.size()) break;  // what there is comes first; the next call fails again
            throw;
        }
    }
    const std::size_t size = room.size() - stream_->avail_out;
    inflated_bytes_ += size;
    return size;
}

}  // namespace snapviewer
