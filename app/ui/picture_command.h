#pragma once

#include <imgui.h>

#include "render/framebuffer_box.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Has the canvas's kept picture copied into the window between these corners when `list` is drawn. The canvas outlives the
/// frame.
void add_picture_command(ImDrawList* list, const TimelineCanvas& canvas, ImVec2 min, ImVec2 max);

bool is_picture_command(const ImDrawCmd& command);
/// Of a picture command, as the two that follow.
const TimelineCanvas& canvas_of(const ImDrawCmd& command);
/// Where its picture goes in the framebuffer.
FramebufferBox picture_place(const ImDrawData& frame, const ImDrawCmd& command);

}  // namespace snapviewer
