#include "core/base/totals_preview.h"

#include <algorithm>

namespace snapviewer {

void TotalsPreview::add(std::int64_t change_bytes) {
    // Unsigned arithmetic, because the sizes of a damaged file can overflow the total.
    total_bytes_ =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(total_bytes_) + static_cast<std::uint64_t>(change_bytes));
    highest_bytes_ = pending_events_ == 0 ? total_bytes_ : std::max(highest_bytes_, total_bytes_);
    if (++pending_events_ < events_per_sample_) return;
    pending_events_ = 0;
    publish(highest_bytes_);
}

void TotalsPreview::publish(std::int64_t sample) {
    const std::lock_guard lock(mutex_);
    samples_[count_++] = sample;
    if (count_ < k_most_samples) return;
    for (std::size_t i = 0; i < k_most_samples / 2; ++i) samples_[i] = std::max(samples_[2 * i], samples_[2 * i + 1]);
    count_ = k_most_samples / 2;
    events_per_sample_ *= 2;
}

std::vector<std::int64_t> TotalsPreview::samples() const {
    const std::lock_guard lock(mutex_);
    return {samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(count_)};
}

}  // namespace snapviewer
