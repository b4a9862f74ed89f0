#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/analyses.h"
#include "core/analysis/compare.h"

namespace snapviewer {

/// Returns the comparison of the peaks of two devices in the format of `snapviewer compare --json`. Throws a Failure only
/// when stopped.
nlohmann::ordered_json compare_json(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis);
/// Returns the comparison as readable text in whole lines. Throws a Failure only when stopped.
std::string compare_text(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis);

}  // namespace snapviewer
