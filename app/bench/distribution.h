#pragma once

#include <cstddef>
#include <vector>

namespace snapviewer {

/// Statistics of repeated measurements; all zero if there are none.
struct Distribution {
    double median = 0, p95 = 0, max = 0;
    std::size_t count = 0;
};

Distribution distribution_of(std::vector<double> samples);

}  // namespace snapviewer
