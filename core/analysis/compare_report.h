#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/analyses.h"
#include "core/analysis/compare.h"

namespace snapviewer {

/// Why the peak of one device is higher than that of another, as `snapviewer compare --json` gives it. Fails only when
/// stopped.
Result<nlohmann::ordered_json> compare_json(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis,
                                            const Progress* progress);
/// The same for people, whole lines.
Result<std::string> compare_text(DeviceAnalyses& a, DeviceAnalyses& b, CompareBy by, CompareBasis basis,
                                 const Progress* progress);

}  // namespace snapviewer
