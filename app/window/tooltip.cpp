#include "app/views/picture/tooltip_place.h"

#include <algorithm>
#include <array>

namespace snapviewer {
namespace {

float common_length(float begin_a, float end_a, float begin_b, float end_b) {
    return std::max(0.0F, std::min(end_a, end_b) - std::max(begin_a, begin_b));
}

/// How much of the box a tooltip at `pos` hides, in square pixels.
float hidden_area(ImVec2 pos, ImVec2 size, const PixelBox& box) {
    return common_length(pos.x, pos.x + size.x, box.min.x, box.max.x) *
           common_length(pos.y, pos.y + size.y, box.min.y, box.max.y);
}

ImVec2 kept_inside(ImVec2 pos, ImVec2 size, const PixelBox& picture) {
    return {std::max(picture.min.x, std::min(pos.x, picture.max.x - size.x)),
            std::max(picture.min.y, std::min(pos.y, picture.max.y - size.y))};
}

}  // namespace

ImVec2 place_tooltip(ImVec2 size, const PixelBox& described, const PixelBox& picture, ImVec2 mouse, float gap_px) {
    const float above = described.min.y - gap_px - size.y;
    const float below = described.max.y + gap_px;
    const float beside_y = mouse.y + gap_px;
    const std::array wanted = {ImVec2(mouse.x + gap_px, mouse.y + gap_px),
                               ImVec2(mouse.x + gap_px, above),
                               ImVec2(mouse.x + gap_px, below),
                               ImVec2(described.max.x + gap_px, beside_y),
                               ImVec2(described.min.x - gap_px - size.x, beside_y),
                               ImVec2(picture.max.x, picture.min.y),
                               picture.min,
                               picture.max,
                               ImVec2(picture.min.x, picture.max.y)};
    const PixelBox pointer{{mouse.x - gap_px / 2, mouse.y - gap_px / 2}, {mouse.x + gap_px / 2, mouse.y + gap_px / 2}};
    ImVec2 best;
    float least = -1;
    for (const ImVec2 each : wanted) {
        const ImVec2 pos = kept_inside(each, size, picture);
        if (hidden_area(pos, size, pointer) > 0) continue;
        const float hidden = hidden_area(pos, size, described);
        if (least >= 0 && hidden >= least) continue;
        least = hidden;
        best = pos;
    }
    return least < 0 ? kept_inside(wanted[0], size, picture) : best;
}

}  // namespace snapviewer
