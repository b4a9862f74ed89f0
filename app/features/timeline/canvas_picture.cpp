#include "app/features/timeline/canvas_picture.h"

#include <algorithm>
#include <cmath>

#include "app/ui/theme.h"

namespace snapviewer {
namespace {

int framebuffer_pixels(float length, float scale) { return std::max(1, static_cast<int>(std::lround(length * scale))); }

glm::vec3 to_rgb(ImU32 colour) {
    const ImVec4 shares = to_vec4(colour);
    return {shares.x, shares.y, shares.z};
}

/// Called when the window is drawn: the picture goes where the command is clipped to.
void copy_picture(const ImDrawList*, const ImDrawCmd* command) {
    const ImDrawData& window = *ImGui::GetDrawData();
    const float left = command->ClipRect.x - window.DisplayPos.x;
    const float below = window.DisplaySize.y - (command->ClipRect.w - window.DisplayPos.y);
    static_cast<const TimelineCanvas*>(command->UserCallbackData)
        ->copy_to_bound(static_cast<int>(std::lround(left * window.FramebufferScale.x)),
                        static_cast<int>(std::lround(below * window.FramebufferScale.y)));
}

}  // namespace

bool draw_canvas(ImDrawList* list, TimelineCanvas& canvas, const Projection& projection, Axis axis,
                 AllocationId highlighted) {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    canvas.renderer().set_background(to_rgb(palette().picture));
    const bool was_drawn =
        canvas.update(projection.view, axis, framebuffer_pixels(projection.max.x - projection.min.x, scale.x),
                      framebuffer_pixels(projection.max.y - projection.min.y, scale.y), highlighted);
    list->PushClipRect(projection.min, projection.max);
    list->AddCallback(copy_picture, &canvas);
    list->PopClipRect();
    return was_drawn;
}

bool is_canvas_command(const ImDrawCmd& command) { return command.UserCallback == copy_picture; }

}  // namespace snapviewer
