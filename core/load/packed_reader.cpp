#include "core/load/packed_reader.h"

#include <fmt/format.h>

#include <utility>

#include "core/load/failure.h"
#include "core/load/limits.h"

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

}  // namespace snapviewer
