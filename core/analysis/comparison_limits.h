#pragma once

#include <string>
#include <vector>

#include "core/analysis/comparison.h"

namespace snapviewer {

/// Returns the reasons why two recordings cannot be compared exactly, one sentence each: facts that cause differences of
/// their own, and facts that are unknown. Usually empty. O(allocations).
std::vector<std::string> comparison_limits(const DeviceAnalyses& a, const DeviceAnalyses& b, const Comparison& comparison);

}  // namespace snapviewer
