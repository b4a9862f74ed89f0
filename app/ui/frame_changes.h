#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/ui/frame_pieces.h"

namespace snapviewer {

/// Where a frame may look different from the one before.
class FrameChanges {
public:
    /// Takes the pieces of the next frame. Gives a few boxes that hold every pixel which is not covered by the same pieces
    /// in the same order as in the frame before; for the first frame `whole`.
    const std::vector<FramebufferBox>& take(std::vector<FramePiece>& pieces, const FramebufferBox& whole);
    /// The next frame is like the first.
    void forget() { has_seen_ = false; }
    /// Of the frame taken last.
    const std::vector<FramePiece>& pieces() const { return pieces_; }

private:
    void compare(const std::vector<FramePiece>& before);
    void match(const std::vector<FramePiece>& before, std::size_t begin, std::size_t end_before, std::size_t end_now);
    void add(const FramebufferBox& box);

    bool has_seen_ = false;
    std::vector<FramePiece> pieces_;
    std::vector<FramebufferBox> changed_;
    std::vector<std::uint32_t> table_;  ///< hash table of the pieces of before that have no fellow yet, kept for its memory
};

}  // namespace snapviewer
