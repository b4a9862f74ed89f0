#include "core/load/peeked_source.h"

#include <utility>

#include "core/load/failure.h"

namespace snapviewer {

PeekedSource::PeekedSource(ByteSource& inner) : inner_(inner), front_(inner.next_piece()) {
    if (front_.empty() || front_.size() >= k_enough) return;
    joined_ = front_;
    try {
        std::string_view more = front_;
        while (joined_.size() < k_enough && !more.empty()) joined_ += more = inner_.next_piece();
    } catch (const Failure&) {
        failure_ = std::current_exception();  // next_piece() rethrows it after returning the bytes before it
    }
    front_ = joined_;
}

std::string_view PeekedSource::next_piece() {
    if (!std::exchange(is_given_, true) && !front_.empty()) return front_;
    if (failure_) std::rethrow_exception(failure_);
    return inner_.next_piece();
}

}  // namespace snapviewer
