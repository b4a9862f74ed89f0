#include "core/load/mapped_source.h"

#include <algorithm>

#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_read_at_once_bytes = 1 << 18;

}  // namespace

std::string_view MappedSource::next_piece() {
    check_stop();
    const std::size_t size_bytes = file_.size_bytes();
    if (tells_progress_) report_done(at_, size_bytes);
    if (at_ == size_bytes) return {};  // at the end of the file readers call this after almost every token, so return early
    need_ok(budget_of_thread().check_memory());
    if (at_ > k_read_at_once_bytes) file_.release_up_to(at_ - k_read_at_once_bytes);
    const std::size_t begin = at_;
    at_ += std::min(k_read_at_once_bytes, size_bytes - at_);
    const std::span<const std::byte> piece = file_.bytes_up_to(at_).subspan(begin);
    return {reinterpret_cast<const char*>(piece.data()), piece.size()};
}

}  // namespace snapviewer
