#include "core/load/bytes/sources.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "core/load/bytes/byte_source.h"
#include "core/system/streams.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_source_piece_bytes = std::size_t{256} * 1024;

std::atomic<bool> g_input_was_taken{false};

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
        failure_ = std::current_exception();  // next_piece() rethrows it after returning the bytes before it
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

}  // namespace snapviewer
