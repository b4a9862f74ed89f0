#pragma once

#include "core/base/result.h"
#include "render/framebuffer_box.h"
#include "render/gl/name.h"

namespace snapviewer {

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

}  // namespace snapviewer
