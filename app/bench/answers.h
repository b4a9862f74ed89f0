#pragma once

#include <string>
#include <vector>

#include "app/bench/distribution.h"
#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer {

/// One of the analyses of a device, measured.
struct AnswerFigures {
    std::string name;
    bool is_made_once = false;  ///< worked out once for the device, after what it needs; otherwise at random moments
    Distribution ms;
};

/// Every analysis of a device of a document that none was asked of yet. Fails where an analysis does.
Result<std::vector<AnswerFigures>> measure_answers(const Document& document, std::size_t device_index);

}  // namespace snapviewer
