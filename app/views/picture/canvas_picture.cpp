#include "app/views/picture/canvas_picture.h"

#include <algorithm>
#include <cmath>

namespace snapviewer {
namespace {

int framebuffer_pixels(float length, float scale) { return std::max(1, static_cast<int>(std::lround(length * scale))); }

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
