#include "render/gl/program.h"

#include <glad/gl.h>
#include <glm/gtc/type_ptr.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "render/shaders.h"

namespace snapviewer::render::gl {
namespace {

template <typename GetLog>
Error refusal(const char* what, GetLog get_log) {
    std::string log(2048, '\0');
    GLsizei length = 0;
    get_log(static_cast<GLsizei>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    return Error{ErrorCode::environment, std::string("the OpenGL driver refused ") + what + ": " + log};
}

/// Returns the beginning of each shader: the version, and definitions that the dialect lacks or names differently.
std::vector<Source> prelude() {
    using namespace shaders;
    return {is_embedded_driver() ? embedded_glsl : desktop_glsl,
            table_kind() == TableKind::buffer ? buffer_tables_glsl : picture_tables_glsl};
}

Result<ShaderName> compile(GLenum stage, std::initializer_list<Source> parts) {
    ShaderName shader(glCreateShader(stage));
    std::vector<Source> sources = prelude();
    sources.insert(sources.end(), parts);
    // The text is passed without its length, because a page of 64-bit WebAssembly reads lengths as 64-bit numbers.
    std::string text;
    for (const Source& part : sources) text.append(reinterpret_cast<const char*>(part.data()), part.size());
    const GLchar* const whole = text.c_str();
    glShaderSource(shader.get(), 1, &whole, nullptr);
    glCompileShader(shader.get());
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &compiled);
    if (compiled == GL_TRUE) return shader;
    return refusal(stage == GL_VERTEX_SHADER ? "the vertex shader" : "the fragment shader",
                   [&](GLsizei size, GLsizei* used, GLchar* log) { glGetShaderInfoLog(shader.get(), size, used, log); });
}

}  // namespace

bool is_embedded_driver() {
    const auto* version = reinterpret_cast<const char*>(glGetString(GL_VERSION));
    return version != nullptr && std::string_view(version).starts_with("OpenGL ES");
}

Result<Program> Program::link(std::initializer_list<Source> vertex, std::initializer_list<Source> fragment) {
    auto vertex_shader = compile(GL_VERTEX_SHADER, vertex);
    if (!vertex_shader) return vertex_shader.error();
    auto fragment_shader = compile(GL_FRAGMENT_SHADER, fragment);
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

std::int32_t Program::location(const char* name) const { return glGetUniformLocation(name_.get(), name); }

void Program::set(const char* name, bool value) const { set(name, std::int32_t{value}); }
void Program::set(const char* name, std::int32_t value) const { glUniform1i(location(name), value); }
void Program::set(const char* name, std::uint32_t value) const { glUniform1ui(location(name), value); }
void Program::set(const char* name, float value) const { glUniform1f(location(name), value); }
void Program::set(const char* name, glm::vec2 value) const { glUniform2fv(location(name), 1, glm::value_ptr(value)); }
void Program::set(const char* name, glm::vec3 value) const { glUniform3fv(location(name), 1, glm::value_ptr(value)); }
void Program::set(const char* name, glm::uvec2 value) const { glUniform2uiv(location(name), 1, glm::value_ptr(value)); }
void Program::set(const char* name, std::span<const std::uint32_t> values) const {
    glUniform1uiv(location(name), static_cast<GLsizei>(values.size()), values.data());
}

void Program::set_table(const char* name, std::uint32_t unit, const Table& table) const {
    table.bind(unit);
    set(name, static_cast<std::int32_t>(unit));
}

void Program::set_picture(const char* name, std::uint32_t unit, const TextureName& picture) const {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, picture.get());
    set(name, static_cast<std::int32_t>(unit));
}

}  // namespace snapviewer::render::gl

namespace snapviewer::render {

bool is_software_driver() {
    constexpr GLenum k_unmasked_renderer = 0x9246;  // a constant of WEBGL_debug_renderer_info, which the page enables
    const GLubyte* told = gl::is_embedded_driver() ? glGetString(k_unmasked_renderer) : nullptr;
    const auto* name = reinterpret_cast<const char*>(told != nullptr ? told : glGetString(GL_RENDERER));
    const std::string_view renderer = name != nullptr ? name : "";
    constexpr std::array<std::string_view, 5> k_on_cpu = {"llvmpipe", "softpipe", "swrast", "SWR", "SwiftShader"};
    return std::ranges::any_of(k_on_cpu, [&](std::string_view part) { return renderer.find(part) != renderer.npos; });
}

}  // namespace snapviewer::render
