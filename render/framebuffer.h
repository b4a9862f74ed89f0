#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "render/gl/objects.h"

namespace snapviewer::render {

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

/// A framebuffer with one RGBA8 colour texture. All members, including the destructor, need the OpenGL context that was
/// current when it was created.
class OffscreenFramebuffer {
public:
    /// Creates a framebuffer and leaves it bound. Fails with ErrorCode::environment if the driver does not support the size.
    static Result<OffscreenFramebuffer> create(int width_px, int height_px);

    /// Binds the framebuffer for drawing and reading.
    void bind() const;
    /// Copies the pixels, without blending, to the rectangle `place` of the framebuffer that is bound for drawing, but
    /// changes only the pixels in `cut`. Scales smoothly if `place` has another size. Leaves itself bound for reading.
    void copy_to_bound(const FramebufferBox& place, const FramebufferBox& cut) const;
    int width_px() const { return width_px_; }
    int height_px() const { return height_px_; }

private:
    OffscreenFramebuffer(gl::FramebufferName framebuffer, gl::TextureName texture, int width_px, int height_px);

    gl::FramebufferName framebuffer_;
    gl::TextureName texture_;
    int width_px_ = 0;
    int height_px_ = 0;
};

/// 8-bit RGBA pixels, row 0 at the top.
struct Image {
    int width_px = 0;
    int height_px = 0;
    std::vector<std::uint8_t> rgba;
};

/// Writes an image as PNG. Replaces an existing file only after the whole image has been written.
Status write_png(const Image& image, const std::string& path);

/// Reads the lower left part of the bound framebuffer.
Image read_framebuffer(int width_px, int height_px);

}  // namespace snapviewer::render
