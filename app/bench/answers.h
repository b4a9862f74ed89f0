#pragma once

#include <string>
#include <vector>

#include "app/bench/distribution.h"
#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer {

/// Measurements of one analysis of a device.
struct AnswerFigures {
    std::string name;
    /// True if computed once per device and cached, without the analyses that it depends on; false if computed at random
    /// moments.
    bool is_made_once = false;
    Distribution ms;
};

/// Measures every analysis of a device. None may have been computed before. Fails if an analysis fails.
Result<std::vector<AnswerFigures>> measure_answers(const Document& document, std::size_t device_index);

}  // namespace snapviewer
