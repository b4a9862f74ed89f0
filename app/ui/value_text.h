#pragma once

#include <string>

#include "core/trace/profile_data.h"

namespace snapviewer {

/// Formats a measured value with its unit: "1.5 GiB", "203 MiB/s", "1,320 MHz", "12.3 ms".
std::string value_text(Unit unit, double value);

}  // namespace snapviewer
