#include "render/plain_triangles.h"

#include <glad/gl.h>

#include "render/shaders.h"

namespace snapviewer::render {

Result<PlainTriangles> PlainTriangles::create() {
    using namespace shaders;
    auto program = gl::Program::link({plain_vert}, {plain_frag});
    if (!program) return program.error();
    return PlainTriangles(std::move(*program));
}

void PlainTriangles::show(glm::vec2 min, glm::vec2 size) const {
    program_.use();
    program_.set("scale", glm::vec2(2 / size.x, -2 / size.y));
    program_.set("offset", glm::vec2(-1 - 2 * min.x / size.x, 1 + 2 * min.y / size.y));
    glUseProgram(0);
}

void PlainTriangles::draw(const Run& run) const {
    GLint before = 0;
    glGetIntegerv(GL_CURRENT_PROGRAM, &before);
    program_.use();
    if (run.is_opaque) glDisable(GL_BLEND);
    glScissor(run.lower_left_px.x, run.lower_left_px.y, run.size_px.x, run.size_px.y);
    const auto* offset = reinterpret_cast<const void*>(std::uintptr_t{run.first_index} * run.index_bytes);
    const GLenum type = run.index_bytes == sizeof(std::uint16_t) ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT;
    glDrawElementsBaseVertex(GL_TRIANGLES, static_cast<GLsizei>(run.index_count), type, offset,
                             static_cast<GLint>(run.first_vertex));
    if (run.is_opaque) glEnable(GL_BLEND);
    glUseProgram(static_cast<GLuint>(before));
}

}  // namespace snapviewer::render
