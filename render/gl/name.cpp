#include "render/gl/name.h"

#include <glad/gl.h>

namespace snapviewer::gl {

void destroy_buffer(std::uint32_t name) { glDeleteBuffers(1, &name); }
void destroy_texture(std::uint32_t name) { glDeleteTextures(1, &name); }
void destroy_framebuffer(std::uint32_t name) { glDeleteFramebuffers(1, &name); }
void destroy_vertex_array(std::uint32_t name) { glDeleteVertexArrays(1, &name); }
void destroy_shader(std::uint32_t name) { glDeleteShader(name); }
void destroy_program(std::uint32_t name) { glDeleteProgram(name); }

}  // namespace snapviewer::gl
