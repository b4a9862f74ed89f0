#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace snapviewer {

/// How the total of memory moves, roughly, while a file is still being read: something to look at. One worker adds to it,
/// any number of observers read it. Of fixed size: when it is full, two samples become one. A sample is the largest total of
/// its events, so that no peak is lost. Totals count from the first event, so they may be negative.
class TotalsPreview {
public:
    static constexpr std::size_t k_most_samples = 2048;

    /// The worker's: what the next event adds to the total, 0 if nothing. Takes the lock once a sample.
    void add(std::int64_t change_bytes);

    /// Any thread's: totals in bytes at equal distances in events; grows by up to k_most_samples, then halves.
    std::vector<std::int64_t> samples() const;

private:
    void publish(std::int64_t sample);

    std::int64_t total_bytes_ = 0;
    std::int64_t highest_bytes_ = 0;  ///< of the events of the sample that is not full yet
    std::uint64_t pending_events_ = 0;
    std::uint64_t events_per_sample_ = 1;

    mutable std::mutex mutex_;  ///< guards what follows
    std::size_t count_ = 0;
    std::array<std::int64_t, k_most_samples> samples_{};
};

}  // namespace snapviewer
