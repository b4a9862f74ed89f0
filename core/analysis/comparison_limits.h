#pragma once

#include <string>
#include <vector>

#include "core/analysis/comparison.h"

namespace snapviewer {

/// How far two recordings can be compared at all: a sentence for each thing that makes a difference of its own, or that
/// nobody can tell. Mostly empty. O(allocations).
std::vector<std::string> comparison_limits(const DeviceAnalyses& a, const DeviceAnalyses& b, const Comparison& comparison);

}  // namespace snapviewer
