#include "render/gl/objects.h"

#include <glad/gl.h>

namespace snapviewer::render::gl {

void destroy_buffer(std::uint32_t name) { glDeleteBuffers(1, &name); }
void destroy_texture(std::uint32_t name) { glDeleteTextures(1, &name); }
void destroy_framebuffer(std::uint32_t name) { glDeleteFramebuffers(1, &name); }
void destroy_vertex_array(std::uint32_t name) { glDeleteVertexArrays(1, &name); }
void destroy_shader(std::uint32_t name) { glDeleteShader(name); }
void destroy_program(std::uint32_t name) { glDeleteProgram(name); }

VertexArray::VertexArray() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    name_ = VertexArrayName(name);
}

void VertexArray::bind() const { glBindVertexArray(name_.get()); }

FramebufferBindingGuard::FramebufferBindingGuard() {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draw_);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &read_);
}

FramebufferBindingGuard::~FramebufferBindingGuard() {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(draw_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(read_));
}

}  // namespace snapviewer::render::gl
