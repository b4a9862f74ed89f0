#include "core/export/deflated_list.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "core/base/context.h"
#include "core/base/worker.h"
#include "core/export/export_database.h"

namespace snapviewer {
namespace {

/// Allocations per piece. A piece cannot refer to text before it, which increases the size by a few percent.
constexpr std::uint32_t k_allocations_a_piece = 2048;
constexpr std::size_t k_text_at_once = 64 << 10;

/// Deflates one piece of a stream, with or without the end of the stream.
class PieceDeflater {
public:
    explicit PieceDeflater(int level) {
        constexpr int k_raw_window_bits = -15;
        constexpr int k_memory_level = 8;
        if (deflateInit2(&stream_, level, Z_DEFLATED, k_raw_window_bits, k_memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~PieceDeflater() { deflateEnd(&stream_); }
    PieceDeflater(const PieceDeflater&) = delete;
    PieceDeflater& operator=(const PieceDeflater&) = delete;

    void add(const std::string& text, int flush, std::string& out) {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
        stream_.avail_in = static_cast<uInt>(text.size());
        do {
            char bytes[16 << 10];
            stream_.next_out = reinterpret_cast<Bytef*>(bytes);
            stream_.avail_out = sizeof(bytes);
            deflate(&stream_, flush);
            out.append(bytes, sizeof(bytes) - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

private:
    z_stream stream_{};
};

}  // namespace

DeflatedList::DeflatedList(std::uint32_t count, Append append, int level)
    : count_(count), append_(std::move(append)), level_(level) {}

DeflatedList::Piece DeflatedList::make(std::uint32_t first, std::uint32_t end) {
    Piece piece;
    PieceDeflater deflater(level_);
    Append append = append_;
    std::string text;
    const auto deflate_text = [&](int flush) {
        charge_written(text.size(), k_too_long_export);
        piece.text_crc =
            static_cast<std::uint32_t>(crc32_z(piece.text_crc, reinterpret_cast<const Bytef*>(text.data()), text.size()));
        piece.text_bytes += text.size();
        deflater.add(text, flush, piece.deflated);
        text.clear();
    };
    if (first == 0) text += '[';
    for (std::uint32_t i = first; i < end; ++i) {
        check_stop();
        if (i > 0) text += ',';
        append(text, AllocationId{i});
        if (text.size() >= k_text_at_once) deflate_text(Z_NO_FLUSH);
    }
    if (end == count_) text += ']';
    deflate_text(end == count_ ? Z_FINISH : Z_SYNC_FLUSH);
    return piece;
}

void DeflatedList::begin_more() {
    // Pieces take different times. With twice as many pieces as cores, a core that finishes early gets another piece.
    const std::size_t at_once = 2 * std::size_t{std::max(std::thread::hardware_concurrency(), 1U)};
    while (making_.size() < at_once && !has_begun_last_) {
        const std::uint32_t first = begun_;
        begun_ += std::min(k_allocations_a_piece, count_ - begun_);
        has_begun_last_ = begun_ == count_;
        making_.push_back(begin_beside([this, first, end = begun_] { return make(first, end); }));
    }
}

bool DeflatedList::take_next() {
    begin_more();
    if (making_.empty()) return false;
    check_stop();
    std::future<Piece> next = std::move(making_.front());
    making_.pop_front();
    Piece piece = next.get();
    begin_more();
    text_crc_ = static_cast<std::uint32_t>(crc32_combine(text_crc_, piece.text_crc, static_cast<z_off_t>(piece.text_bytes)));
    text_bytes_ += piece.text_bytes;
    report_done(begun_, count_);
    ready_ = std::move(piece.deflated);
    used_ = 0;
    return true;
}

std::size_t DeflatedList::read(char* out, std::size_t size) {
    while (used_ == ready_.size()) {
        if (!take_next()) return 0;
    }
    const std::size_t count = std::min(size, ready_.size() - used_);
    std::memcpy(out, ready_.data() + used_, count);
    used_ += count;
    return count;
}

}  // namespace snapviewer
