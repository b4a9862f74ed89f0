#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "render/framebuffer.h"

namespace snapviewer {

/// The smallest unit that a frame draws: a triangle, two triangles that form a rectangle, or the callback of a command.
struct FramePiece {
    std::uint64_t look = 0;      ///< hash of everything that affects its pixels; unique for an unknown callback
    render::FramebufferBox box;  ///< bounding box of its pixels, never empty
    int list = 0, command = 0;
    unsigned first_index = 0, index_count = 0;  ///< range of indices, relative to the command's first
};

/// Collects the visible pieces of a frame in drawing order. Costs some nanoseconds per vertex.
void find_pieces(const ImDrawData& frame, std::vector<FramePiece>& pieces);

render::FramebufferBox whole_box(const ImDrawData& frame);
/// The box to which ImGui's OpenGL backend clips a command with this ClipRect.
render::FramebufferBox box_of_clip(const ImDrawData& frame, const ImVec4& clip);
/// A ClipRect that ImGui's OpenGL backend rounds to exactly this box.
ImVec4 clip_of_box(const ImDrawData& frame, const render::FramebufferBox& box);

/// Finds the regions of a frame that may differ from the frame before.
class FrameChanges {
public:
    /// Takes the pieces of the next frame. Returns a few boxes that contain every pixel that is not covered by the same
    /// pieces in the same order as in the frame before; for the first frame, returns `whole`.
    const std::vector<render::FramebufferBox>& take(std::vector<FramePiece>& pieces, const render::FramebufferBox& whole);
    /// Treats the next frame like the first one.
    void forget() { has_seen_ = false; }
    /// The pieces of the last frame.
    const std::vector<FramePiece>& pieces() const { return pieces_; }

private:
    void compare(const std::vector<FramePiece>& before);
    void match(const std::vector<FramePiece>& before, std::size_t begin, std::size_t end_before, std::size_t end_now);
    void add(const render::FramebufferBox& box);

    bool has_seen_ = false;
    std::vector<FramePiece> pieces_;
    std::vector<render::FramebufferBox> changed_;
    /// Hash table of the last frame's unmatched pieces; a member only to reuse its memory.
    std::vector<std::uint32_t> table_;
};

}  // namespace snapviewer
