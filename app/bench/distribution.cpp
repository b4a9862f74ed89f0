#include "app/bench/distribution.h"

#include <algorithm>

namespace snapviewer {

Distribution distribution_of(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::ranges::sort(samples);
    // Nearest rank: the smallest sample that is at least as large as `percent` % of the samples.
    const auto percentile = [&](std::size_t percent) { return samples[(samples.size() * percent + 99) / 100 - 1]; };
    return {percentile(50), percentile(95), samples.back(), samples.size()};
}

}  // namespace snapviewer
