#include "app/window/gl_census.h"

#include <glad/gl.h>

namespace snapviewer {
namespace {

/// Drivers give out the smallest names that are free.
constexpr GLuint k_last_name = 1024;

std::size_t count_names(GLboolean (*is_one)(GLuint)) {
    std::size_t count = 0;
    for (GLuint name = 1; name <= k_last_name; ++name) count += is_one(name) == GL_TRUE ? 1U : 0U;
    return count;
}

std::uint64_t errors_so_far() {
    static std::uint64_t count = 0;
    while (glGetError() != GL_NO_ERROR) ++count;
    return count;
}

}  // namespace

GlCensus take_gl_census() {
    return {{{"buffers", count_names(glIsBuffer)},
             {"textures", count_names(glIsTexture)},
             {"framebuffers", count_names(glIsFramebuffer)},
             {"vertex_arrays", count_names(glIsVertexArray)},
             {"programs", count_names(glIsProgram)},
             {"shaders", count_names(glIsShader)}},
            errors_so_far()};
}

}  // namespace snapviewer
