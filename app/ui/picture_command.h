#pragma once

#include <imgui.h>

#include "render/framebuffer_box.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Adds a command to `list` that copies the canvas's picture into the window between these corners. The canvas must outlive
/// the frame.
void add_picture_command(ImDrawList* list, const TimelineCanvas& canvas, ImVec2 min, ImVec2 max);

bool is_picture_command(const ImDrawCmd& command);
/// The canvas of a picture command. Precondition: is_picture_command(command).
const TimelineCanvas& canvas_of(const ImDrawCmd& command);
/// The rectangle of a picture command in the framebuffer. Precondition: is_picture_command(command).
FramebufferBox picture_place(const ImDrawData& frame, const ImDrawCmd& command);

}  // namespace snapviewer
