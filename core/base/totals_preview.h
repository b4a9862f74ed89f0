#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace snapviewer {

/// An approximate curve of total memory, to be drawn while a file is still being read. One worker thread adds to it, any
/// number of threads read it. Of fixed size: when it is full, each two adjacent samples are merged. A sample is the maximum
/// total of its events, so peaks are preserved. Totals count from the first event, so they may be negative.
class TotalsPreview {
public:
    static constexpr std::size_t k_most_samples = 2048;

    /// Adds the change in bytes that the next event makes; 0 if it makes none. For the worker thread. Takes the lock once
    /// per sample.
    void add(std::int64_t change_bytes);

    /// Returns the samples, total bytes at equal distances in events. Their number grows up to k_most_samples, then halves.
    /// Thread-safe.
    std::vector<std::int64_t> samples() const;

private:
    void publish(std::int64_t sample);

    std::int64_t total_bytes_ = 0;
    std::int64_t highest_bytes_ = 0;  ///< maximum total of the current, incomplete sample
    std::uint64_t pending_events_ = 0;
    std::uint64_t events_per_sample_ = 1;

    mutable std::mutex mutex_;  ///< guards the members below
    std::size_t count_ = 0;
    std::array<std::int64_t, k_most_samples> samples_{};
};

}  // namespace snapviewer
