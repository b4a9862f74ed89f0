#include "app/ui/stripes.h"

#include "app/ui/theme.h"

namespace snapviewer {

void draw_stripes(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour) {
    list->PushClipRect(min, max, true);
    const float height = max.y - min.y;
    for (float x = min.x - height; x < max.x; x += scaled(6))
        list->AddLine({x, max.y}, {x + height, min.y}, colour, scaled(2));
    list->PopClipRect();
}

}  // namespace snapviewer
