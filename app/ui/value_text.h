#pragma once

#include <string>

#include "core/trace/tracks.h"

namespace snapviewer {

/// A measured value as a tooltip says it: "1.5 GiB", "203 MiB/s", "1,320 MHz", "12.3 ms".
std::string value_text(Unit unit, double value);

}  // namespace snapviewer
