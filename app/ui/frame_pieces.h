#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "render/framebuffer_box.h"

namespace snapviewer {

/// The smallest unit that a frame draws: a triangle, two triangles that form a rectangle, or the callback of a command.
struct FramePiece {
    std::uint64_t look = 0;  ///< hash of everything that affects its pixels; unique for an unknown callback
    FramebufferBox box;      ///< bounding box of its pixels, never empty
    int list = 0, command = 0;
    unsigned first_index = 0, index_count = 0;  ///< range of indices, relative to the command's first
};

/// Collects the visible pieces of a frame in drawing order. Costs some nanoseconds per vertex.
void find_pieces(const ImDrawData& frame, std::vector<FramePiece>& pieces);

FramebufferBox whole_box(const ImDrawData& frame);
/// The box to which ImGui's OpenGL backend clips a command with this ClipRect.
FramebufferBox box_of_clip(const ImDrawData& frame, const ImVec4& clip);
/// A ClipRect that ImGui's OpenGL backend rounds to exactly this box.
ImVec4 clip_of_box(const ImDrawData& frame, const FramebufferBox& box);

}  // namespace snapviewer
