#include "app/system/gl_census.h"

#include <glad/gl.h>

#include <array>

namespace snapviewer {
namespace {

/// How many names above the highest known one are checked. Some drivers return the smallest free name, others never reuse a
/// name.
constexpr GLuint k_names_ahead = 1024;

struct Counted {
    const char* what;
    GLboolean (*is_one)(GLuint);
    GLuint highest = 0;
};

std::size_t count_names(Counted& counted) {
    std::size_t count = 0;
    for (GLuint name = 1; name <= counted.highest + k_names_ahead; ++name) {
        if (counted.is_one(name) != GL_TRUE) continue;
        ++count;
        counted.highest = name > counted.highest ? name : counted.highest;
    }
    return count;
}

std::uint64_t errors_so_far() {
    static std::uint64_t count = 0;
    while (glGetError() != GL_NO_ERROR) ++count;
    return count;
}

}  // namespace

GlCensus take_gl_census() {
    static std::array kinds = {Counted{"buffers", glIsBuffer},           Counted{"textures", glIsTexture},
                               Counted{"framebuffers", glIsFramebuffer}, Counted{"vertex_arrays", glIsVertexArray},
                               Counted{"programs", glIsProgram},         Counted{"shaders", glIsShader}};
    GlCensus census{{}, errors_so_far()};
    for (Counted& kind : kinds) census.objects[kind.what] = count_names(kind);
    return census;
}

}  // namespace snapviewer
