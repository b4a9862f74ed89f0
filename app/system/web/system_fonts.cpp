#include "app/system/system_fonts.h"

namespace snapviewer {

/// A page may use the system's fonts but not read their files.
std::vector<SystemFont> fonts_covering(const std::vector<char32_t>& /*characters*/,
                                       const std::function<bool(const SystemFont&)>& /*can_draw*/) {
    return {};
}

}  // namespace snapviewer
