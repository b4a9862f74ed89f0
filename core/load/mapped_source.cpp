#include "core/load/mapped_source.h"

#include <algorithm>

#include "core/load/failure.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_read_at_once_bytes = 1 << 18;

}  // namespace

std::string_view MappedSource::next_piece() {
    if (progress_.stop_requested()) fail_stopped();
    const std::span<const std::byte> bytes = file_.bytes();
    if (tells_progress_) progress_.update(at_, bytes.size());
    if (at_ == bytes.size()) return {};  // readers ask for more with nearly each of the last words
    need_ok(progress_.budget().check_memory());
    if (at_ > k_read_at_once_bytes) file_.release_up_to(at_ - k_read_at_once_bytes);
    const std::size_t size = std::min(k_read_at_once_bytes, bytes.size() - at_);
    const std::string_view piece(reinterpret_cast<const char*>(bytes.data()) + at_, size);
    at_ += size;
    return piece;
}

}  // namespace snapviewer
