#include "app/ui/click_area.h"

#include <algorithm>

namespace snapviewer {

bool click_area(const char* id, const ImVec2& size) {
    return ImGui::InvisibleButton(id, {std::max(size.x, 1.0F), std::max(size.y, 1.0F)});
}

}  // namespace snapviewer
