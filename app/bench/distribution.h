#pragma once

#include <cstddef>
#include <vector>

namespace snapviewer {

/// What many measurements of one thing come to. All zero without measurements.
struct Distribution {
    double median = 0, p95 = 0, max = 0;
    std::size_t count = 0;
};

Distribution distribution_of(std::vector<double> samples);

}  // namespace snapviewer
