#include "core/load/read_ahead.h"

#include <utility>

#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_ring_piece_bytes = std::size_t{256} * 1024;

}  // namespace

ReadAhead::ReadAhead(ByteReader& reader) : reader_(reader) {
    for (std::vector<char>& piece : ring_) piece.resize(k_ring_piece_bytes);
    if (!has_threads()) return;
    thread_ = std::jthread([this, context = Context::current()](const std::stop_token& stop) {
        const ContextScope scope(context);
        read_on(stop);
    });
}

void ReadAhead::read_on(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return filled_ - given_back_ < k_pieces; })) {
        const std::size_t slot = filled_ % k_pieces;
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
    need_ok(budget_of_thread().unpack(size));
    return size;
}

std::string_view ReadAhead::next_piece() {
    check_stop();
    need_ok(budget_of_thread().check_memory());
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
    const std::size_t slot = given_back_ % k_pieces;
    return {ring_[slot].data(), sizes_[slot]};
}

}  // namespace snapviewer
