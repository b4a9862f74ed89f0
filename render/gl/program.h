#pragma once

#include <cstdint>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <initializer_list>
#include <span>

#include "core/base/result.h"
#include "render/gl/name.h"
#include "render/gl/table.h"

namespace snapviewer::gl {

/// Whether the current context is one of OpenGL ES, as browsers have it.
bool is_embedded_driver();

/// GLSL that need not be null-terminated.
using Source = std::span<const unsigned char>;

/// A linked pair of vertex and fragment shader.
class Program {
public:
    /// Each shader is one text made of these parts in their order, after what the driver's dialect of the language needs.
    /// Fails with ErrorCode::environment and the driver's words.
    static Result<Program> link(std::initializer_list<Source> vertex, std::initializer_list<Source> fragment);

    void use() const;

    // Uniforms by name, once the program is in use. A name that the linker dropped, or that never was, is ignored.
    void set(const char* name, bool value) const;
    void set(const char* name, std::int32_t value) const;
    void set(const char* name, std::uint32_t value) const;
    void set(const char* name, float value) const;
    void set(const char* name, glm::vec2 value) const;
    void set(const char* name, glm::vec3 value) const;
    void set(const char* name, glm::uvec2 value) const;
    void set(const char* name, std::span<const std::uint32_t> values) const;

    // What a sampler reads: bound to a texture unit of its own, which the sampler is told. Stays until the unit is bound
    // anew.
    void set_table(const char* name, std::uint32_t unit, const Table& table) const;
    void set_picture(const char* name, std::uint32_t unit, const TextureName& picture) const;

private:
    explicit Program(ProgramName name) : name_(std::move(name)) {}
    std::int32_t location(const char* name) const;

    ProgramName name_;
};

}  // namespace snapviewer::gl
