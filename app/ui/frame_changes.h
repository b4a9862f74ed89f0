#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/ui/frame_pieces.h"

namespace snapviewer {

/// Finds the regions of a frame that may differ from the frame before.
class FrameChanges {
public:
    /// Takes the pieces of the next frame. Returns a few boxes that contain every pixel that is not covered by the same
    /// pieces in the same order as in the frame before; for the first frame, returns `whole`.
    const std::vector<FramebufferBox>& take(std::vector<FramePiece>& pieces, const FramebufferBox& whole);
    /// Treats the next frame like the first one.
    void forget() { has_seen_ = false; }
    /// The pieces of the last frame.
    const std::vector<FramePiece>& pieces() const { return pieces_; }

private:
    void compare(const std::vector<FramePiece>& before);
    void match(const std::vector<FramePiece>& before, std::size_t begin, std::size_t end_before, std::size_t end_now);
    void add(const FramebufferBox& box);

    bool has_seen_ = false;
    std::vector<FramePiece> pieces_;
    std::vector<FramebufferBox> changed_;
    /// Hash table of the last frame's unmatched pieces; a member only to reuse its memory.
    std::vector<std::uint32_t> table_;
};

}  // namespace snapviewer
