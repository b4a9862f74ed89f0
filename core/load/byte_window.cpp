#include "core/load/byte_window.h"

#include <cassert>
#include <string>

#include "core/load/limits.h"

namespace snapviewer {

std::string_view ByteWindow::next_piece() {
    if (broken_) return {};
    try {
        return source_.next_piece();
    } catch (const Failure& failure) {
        if (!failure.is_cut) throw;
        broken_ = failure;
        return {};
    }
}

bool ByteWindow::extend() {
    if (source_.keeps_pieces()) {
        const std::string_view piece = next_piece();
        const auto* data = reinterpret_cast<const std::uint8_t*>(piece.data());
        if (begin_ == nullptr) begin_ = start_ = at_ = end_ = data;
        assert(piece.empty() || data == end_);
        end_ += piece.size();
        return !piece.empty();
    }
    const auto taken = at_ - start_;
    if (start_ != nullptr) {
        begin_offset_ = offset_of(start_);
        kept_.erase(kept_.begin(), kept_.begin() + (start_ - begin_));
    }
    if (kept_.size() > limits::k_word_bytes) fail("holds a string longer than in any real snapshot", begin_offset_);
    const std::string_view piece = next_piece();
    kept_.insert(kept_.end(), piece.begin(), piece.end());
    begin_ = start_ = kept_.data();
    at_ = start_ + taken;
    end_ = begin_ + kept_.size();
    return !piece.empty();
}

void ByteWindow::fail_at_end() const {
    if (broken_) throw Failure(*broken_);
    const std::uint64_t size = offset_of(end_);
    fail_cut("is cut short: the file ends after " + std::to_string(size) + " bytes, in the middle of the data",
             offset_of(start_));
}

}  // namespace snapviewer
