#include "core/base/result.h"

namespace snapviewer {

std::string Error::text() const {
    std::string text = message;
    if (offset) text += " at byte " + std::to_string(*offset);
    if (!context.empty()) text += " (" + context + ")";
    return text;
}

}  // namespace snapviewer
