#include "render/gl/program.h"

#include <glad/gl.h>

#include <string>

namespace snapviewer::gl {
namespace {

template <typename GetLog>
Error refusal(const char* what, GetLog get_log) {
    std::string log(2048, '\0');
    GLsizei length = 0;
    get_log(static_cast<GLsizei>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    return Error{ErrorCode::environment, std::string("the OpenGL driver refused ") + what + ": " + log};
}

Result<ShaderName> compile(GLenum stage, std::span<const unsigned char> source, std::span<const unsigned char> rest = {}) {
    ShaderName shader(glCreateShader(stage));
    const GLchar* const texts[] = {reinterpret_cast<const GLchar*>(source.data()),
                                   reinterpret_cast<const GLchar*>(rest.data())};
    const GLint lengths[] = {static_cast<GLint>(source.size()), static_cast<GLint>(rest.size())};
    glShaderSource(shader.get(), rest.empty() ? 1 : 2, texts, lengths);
    glCompileShader(shader.get());
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &compiled);
    if (compiled == GL_TRUE) return shader;
    return refusal(stage == GL_VERTEX_SHADER ? "the vertex shader" : "the fragment shader",
                   [&](GLsizei size, GLsizei* used, GLchar* log) { glGetShaderInfoLog(shader.get(), size, used, log); });
}

}  // namespace

Result<Program> Program::link(std::span<const unsigned char> vertex, std::span<const unsigned char> fragment,
                              std::span<const unsigned char> fragment_rest) {
    auto vertex_shader = compile(GL_VERTEX_SHADER, vertex);
    if (!vertex_shader) return vertex_shader.error();
    auto fragment_shader = compile(GL_FRAGMENT_SHADER, fragment, fragment_rest);
    if (!fragment_shader) return fragment_shader.error();

    ProgramName program(glCreateProgram());
    glAttachShader(program.get(), vertex_shader->get());
    glAttachShader(program.get(), fragment_shader->get());
    glLinkProgram(program.get());
    GLint linked = GL_FALSE;
    glGetProgramiv(program.get(), GL_LINK_STATUS, &linked);
    if (linked == GL_TRUE) return Program(std::move(program));
    return refusal("to link the shaders",
                   [&](GLsizei size, GLsizei* used, GLchar* log) { glGetProgramInfoLog(program.get(), size, used, log); });
}

void Program::use() const { glUseProgram(name_.get()); }

std::int32_t Program::uniform(const char* name) const { return glGetUniformLocation(name_.get(), name); }

}  // namespace snapviewer::gl
