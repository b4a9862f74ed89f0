#include "render/offscreen_framebuffer.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <utility>

namespace snapviewer {
namespace {

void blit(const FramebufferBox& from, const FramebufferBox& to, GLenum filter) {
    glBlitFramebuffer(from.left, from.below, from.right(), from.top(), to.left, to.below, to.right(), to.top(),
                      GL_COLOR_BUFFER_BIT, filter);
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

void OffscreenFramebuffer::copy_to_bound(const FramebufferBox& place, const FramebufferBox& cut) const {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.get());
    // glBlitFramebuffer() respects the scissor box, which is the one of the last draw call.
    const GLboolean was_cut = glIsEnabled(GL_SCISSOR_TEST);
    if (place.width_px == width_px_ && place.height_px == height_px_) {
        glDisable(GL_SCISSOR_TEST);  // with the scissor test Mesa's software rasterizers do not copy bytes
        const FramebufferBox to = intersection_of(place, cut);
        if (!to.is_empty()) blit({to.left - place.left, to.below - place.below, to.width_px, to.height_px}, to, GL_NEAREST);
    } else {
        glEnable(GL_SCISSOR_TEST);
        glScissor(cut.left, cut.below, cut.width_px, cut.height_px);
        blit({0, 0, width_px_, height_px_}, place, GL_LINEAR);
    }
    (was_cut == GL_TRUE ? glEnable : glDisable)(GL_SCISSOR_TEST);
}

}  // namespace snapviewer
