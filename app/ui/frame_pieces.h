#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "render/framebuffer_box.h"

namespace snapviewer {

/// The smallest thing that a frame draws: a triangle, two that make a rectangle, or a command's callback.
struct FramePiece {
    std::uint64_t look = 0;  ///< a hash of all that decides which pixels it gives; never the same for an unknown callback
    FramebufferBox box;      ///< it draws nothing outside, and is not empty
    int list = 0, command = 0;
    unsigned first_index = 0, index_count = 0;  ///< among those of the command
};

/// What of a frame can be seen, in the order in which it is drawn. Some nanoseconds for each vertex.
void find_pieces(const ImDrawData& frame, std::vector<FramePiece>& pieces);

FramebufferBox whole_box(const ImDrawData& frame);
/// What ImGui's OpenGL backend cuts a command to.
FramebufferBox box_of_clip(const ImDrawData& frame, const ImVec4& clip);
/// For which the backend cuts to exactly this box.
ImVec4 clip_of_box(const ImDrawData& frame, const FramebufferBox& box);

}  // namespace snapviewer
