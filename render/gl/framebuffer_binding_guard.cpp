#include "render/gl/framebuffer_binding_guard.h"

#include <glad/gl.h>

namespace snapviewer::gl {

FramebufferBindingGuard::FramebufferBindingGuard() {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_);
}

FramebufferBindingGuard::~FramebufferBindingGuard() {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_));
}

}  // namespace snapviewer::gl
