#pragma once

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>

#include "core/base/result.h"
#include "render/gl/objects.h"
#include "render/gl/table.h"

namespace snapviewer::render::gl {

/// True if the current context is one of OpenGL ES, as in browsers.
bool is_embedded_driver();

/// GLSL source text without a terminating null.
using Source = std::span<const unsigned char>;

/// A linked program of a vertex shader and a fragment shader.
class Program {
public:
    /// Compiles and links a program. Each shader is the concatenation of its parts, after a prelude for the driver's dialect
    /// of GLSL. Fails with ErrorCode::environment and the driver's message.
    static Result<Program> link(std::initializer_list<Source> vertex, std::initializer_list<Source> fragment);

    void use() const;

    // Sets a uniform of the program, which must be in use. Ignores unknown names and those that the linker has removed.
    void set(const char* name, bool value) const;
    void set(const char* name, std::int32_t value) const;
    void set(const char* name, std::uint32_t value) const;
    void set(const char* name, float value) const;
    void set(const char* name, glm::vec2 value) const;
    void set(const char* name, glm::vec3 value) const;
    void set(const char* name, glm::uvec2 value) const;
    void set(const char* name, std::span<const std::uint32_t> values) const;

    // Binds a table or a texture to a texture unit, and sets the sampler with this name to the unit.
    void set_table(const char* name, std::uint32_t unit, const Table& table) const;
    void set_picture(const char* name, std::uint32_t unit, const TextureName& picture) const;

private:
    explicit Program(ProgramName name) : name_(std::move(name)) {}
    std::int32_t location(const char* name) const;

    ProgramName name_;
};

}  // namespace snapviewer::render::gl

namespace snapviewer::render {

/// True if the driver of the current context draws on the CPU, judged by the driver's name.
bool is_software_driver();

}  // namespace snapviewer::render
