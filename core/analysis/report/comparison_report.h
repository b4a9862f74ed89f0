#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/comparison.h"
#include "core/analysis/findings/analyses.h"

namespace snapviewer {

/// Returns the comparison of the peaks of two devices in the format of `snapviewer compare --json`. Throws a Failure only
/// when stopped.
nlohmann::ordered_json compare_json(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis);
/// Returns the comparison as readable text in whole lines. Throws a Failure only when stopped.
std::string compare_text(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis);

/// Returns the reasons why two recordings cannot be compared exactly, one sentence each: facts that cause differences of
/// their own, and facts that are unknown. Usually empty. O(allocations).
std::vector<std::string> comparison_limits(const DeviceAnalyses& a, const DeviceAnalyses& b, const Comparison& comparison);

}  // namespace snapviewer
