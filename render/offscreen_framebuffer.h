#pragma once

#include "core/base/result.h"
#include "render/framebuffer_box.h"
#include "render/gl/name.h"

namespace snapviewer {

/// Something to draw on that is not on the screen: a framebuffer with one RGBA8 colour texture.
/// Needs the context it was made in to be current, also when it is destroyed.
class OffscreenFramebuffer {
public:
    /// Fails with ErrorCode::environment when the driver cannot have a picture of that size. Leaves the new one bound.
    static Result<OffscreenFramebuffer> create(int width_px, int height_px);

    /// Everything drawn and read from now on goes here.
    void bind() const;
    /// Copies its pixels, unblended, to the framebuffer that is bound for drawing, where they cover `place`, but there only
    /// those in `cut`: one by one where the place is of its own size, else smoothly enlarged. Leaves itself bound for
    /// reading.
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
