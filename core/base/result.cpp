#include "core/base/result.h"

#include "core/base/text.h"

namespace snapviewer {

/// Both may hold names that a file made up.
std::string Error::text() const {
    constexpr std::size_t k_most_bytes = 2000;
    std::string text = shortened(message, k_most_bytes);
    if (offset) text += " at byte " + std::to_string(*offset);
    if (!context.empty()) text += " (" + shortened(context, k_most_bytes) + ")";
    return text;
}

}  // namespace snapviewer
