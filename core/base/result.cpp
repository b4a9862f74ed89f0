#include "core/base/result.h"

#include "core/base/text.h"

namespace snapviewer {

/// Shortens message and context, because both may contain names from a malicious file.
std::string Error::text() const {
    constexpr std::size_t k_most_bytes = 2000;
    std::string text = shortened(message, k_most_bytes);
    if (offset) text += " at byte " + std::to_string(*offset);
    if (!context.empty()) text += " (" + shortened(context, k_most_bytes) + ")";
    return text;
}

}  // namespace snapviewer
