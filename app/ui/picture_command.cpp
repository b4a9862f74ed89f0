#include "app/ui/picture_command.h"

#include <cmath>

namespace snapviewer {
namespace {

/// Draw callback that copies the picture to the rectangle to which its command is clipped.
void copy_whole_picture(const ImDrawList* /*list*/, const ImDrawCmd* command) {
    const FramebufferBox place = picture_place(*ImGui::GetDrawData(), *command);
    canvas_of(*command).copy_to_bound(place.left, place.below, place);
}

}  // namespace

void add_picture_command(ImDrawList* list, const TimelineCanvas& canvas, ImVec2 min, ImVec2 max) {
    list->PushClipRect(min, max);
    // const_cast: ImGui only passes the pointer back
    list->AddCallback(copy_whole_picture, const_cast<TimelineCanvas*>(&canvas));
    list->PopClipRect();
}

bool is_picture_command(const ImDrawCmd& command) { return command.UserCallback == copy_whole_picture; }

const TimelineCanvas& canvas_of(const ImDrawCmd& command) {
    return *static_cast<const TimelineCanvas*>(command.UserCallbackData);
}

FramebufferBox picture_place(const ImDrawData& frame, const ImDrawCmd& command) {
    const ImVec2 origin = frame.DisplayPos, scale = frame.FramebufferScale;
    const auto pixels = [](float length) { return static_cast<int>(std::lround(length)); };
    const ImVec4& clip = command.ClipRect;
    return {pixels((clip.x - origin.x) * scale.x), pixels((frame.DisplaySize.y - (clip.w - origin.y)) * scale.y),
            pixels((clip.z - clip.x) * scale.x), pixels((clip.w - clip.y) * scale.y)};
}

}  // namespace snapviewer
