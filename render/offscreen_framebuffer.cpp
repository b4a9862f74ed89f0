#include "render/offscreen_framebuffer.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <utility>

namespace snapviewer {
namespace {

struct PixelCorners {
    int left, below, right, top;
};

/// Copying respects the scissor, which here belongs to whatever was drawn last.
void blit_uncut(const PixelCorners& from, const PixelCorners& to, GLenum filter) {
    const GLboolean was_cut = glIsEnabled(GL_SCISSOR_TEST);
    glDisable(GL_SCISSOR_TEST);
    glBlitFramebuffer(from.left, from.below, from.right, from.top, to.left, to.below, to.right, to.top, GL_COLOR_BUFFER_BIT,
                      filter);
    if (was_cut == GL_TRUE) glEnable(GL_SCISSOR_TEST);
}

}  // namespace

OffscreenFramebuffer::OffscreenFramebuffer(gl::FramebufferName framebuffer, gl::TextureName texture, int width_px,
                                           int height_px)
    : framebuffer_(std::move(framebuffer)), texture_(std::move(texture)), width_px_(width_px), height_px_(height_px) {}

Result<OffscreenFramebuffer> OffscreenFramebuffer::create(int width_px, int height_px) {
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (width_px < 1 || height_px < 1 || width_px > limit || height_px > limit) {
        return Error{ErrorCode::environment,
                     fmt::format("a picture of {} x {} pixels is not possible here; each side must be between 1 and {}",
                                 width_px, height_px, limit)};
    }
    GLuint texture = 0;
    glGenTextures(1, &texture);
    gl::TextureName texture_name(texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width_px, height_px, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);

    GLuint framebuffer = 0;
    glGenFramebuffers(1, &framebuffer);
    gl::FramebufferName framebuffer_name(framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        return Error{ErrorCode::environment,
                     fmt::format("the OpenGL driver cannot draw into a picture of {} x {} pixels", width_px, height_px)};
    }
    return OffscreenFramebuffer(std::move(framebuffer_name), std::move(texture_name), width_px, height_px);
}

void OffscreenFramebuffer::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get()); }

void OffscreenFramebuffer::copy_to_bound(int x_px, int y_px, int width_px, int height_px) const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.get());
    const bool is_enlarged = width_px != width_px_ || height_px != height_px_;
    blit_uncut({0, 0, width_px_, height_px_}, {x_px, y_px, x_px + width_px, y_px + height_px},
               is_enlarged ? GL_LINEAR : GL_NEAREST);
}

void OffscreenFramebuffer::take_from_bound(int x_px, int y_px) const {
    GLint source = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &source);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(source));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_.get());
    blit_uncut({x_px, y_px, x_px + width_px_, y_px + height_px_}, {0, 0, width_px_, height_px_}, GL_NEAREST);
}

}  // namespace snapviewer
