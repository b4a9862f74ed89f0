#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/analyses.h"
#include "core/analysis/compare.h"

namespace snapviewer {

/// Why the peak of one device is higher than that of another, as `snapviewer compare --json` gives it. Fails only when
/// stopped.
nlohmann::ordered_json compare_json(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis);
/// The same for people, whole lines.
std::string compare_text(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis);

}  // namespace snapviewer
