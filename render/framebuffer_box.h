#pragma once

#include <algorithm>
#include <cstdint>

namespace snapviewer {

/// A rectangle of pixels of a framebuffer, counted from the lower left corner of the framebuffer.
struct FramebufferBox {
    int left = 0, below = 0;
    int width_px = 0, height_px = 0;

    int right() const { return left + width_px; }
    int top() const { return below + height_px; }
    bool is_empty() const { return width_px <= 0 || height_px <= 0; }
    std::int64_t area_px() const { return std::int64_t{width_px} * height_px; }
    bool contains(const FramebufferBox& other) const {
        return left <= other.left && below <= other.below && right() >= other.right() && top() >= other.top();
    }
    bool operator==(const FramebufferBox&) const = default;
};

/// Returns the pixels that are in both boxes; an empty box if there are none.
inline FramebufferBox intersection_of(const FramebufferBox& a, const FramebufferBox& b) {
    const int left = std::max(a.left, b.left), below = std::max(a.below, b.below);
    return {left, below, std::max(0, std::min(a.right(), b.right()) - left),
            std::max(0, std::min(a.top(), b.top()) - below)};
}

/// Returns the smallest box that contains both boxes, neither of which is empty.
inline FramebufferBox box_around(const FramebufferBox& a, const FramebufferBox& b) {
    const int left = std::min(a.left, b.left), below = std::min(a.below, b.below);
    return {left, below, std::max(a.right(), b.right()) - left, std::max(a.top(), b.top()) - below};
}

}  // namespace snapviewer
