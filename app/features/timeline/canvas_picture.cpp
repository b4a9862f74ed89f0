#include "app/features/timeline/canvas_picture.h"

#include <algorithm>
#include <cmath>

#include "app/ui/picture_command.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

int framebuffer_pixels(float length, float scale) { return std::max(1, static_cast<int>(std::lround(length * scale))); }

glm::vec3 to_rgb(ImU32 colour) {
    const ImVec4 shares = to_vec4(colour);
    return {shares.x, shares.y, shares.z};
}

}  // namespace

bool draw_canvas(ImDrawList* list, TimelineCanvas& canvas, const Projection& projection, Axis axis,
                 AllocationId highlighted) {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    canvas.renderer().set_background(to_rgb(palette().picture));
    const bool was_drawn =
        canvas.update(projection.view, axis, framebuffer_pixels(projection.max.x - projection.min.x, scale.x),
                      framebuffer_pixels(projection.max.y - projection.min.y, scale.y), highlighted);
    add_picture_command(list, canvas, projection.min, projection.max);
    return was_drawn;
}

}  // namespace snapviewer
