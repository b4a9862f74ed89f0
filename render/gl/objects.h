#pragma once

#include <cstdint>
#include <utility>

namespace snapviewer::render::gl {

/// Owns one OpenGL object by its name, or nothing if the name is 0. Movable, not copyable. All classes of this folder need
/// the context in which they were created to be current, also in their destructors.
template <void (*destroy)(std::uint32_t)>
class Name {
public:
    Name() = default;
    explicit Name(std::uint32_t name) : name_(name) {}
    Name(Name&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    Name& operator=(Name&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }
    ~Name() {
        if (name_ != 0) destroy(name_);
    }

    std::uint32_t get() const { return name_; }

private:
    std::uint32_t name_ = 0;
};

void destroy_buffer(std::uint32_t name);
void destroy_texture(std::uint32_t name);
void destroy_framebuffer(std::uint32_t name);
void destroy_vertex_array(std::uint32_t name);
void destroy_shader(std::uint32_t name);
void destroy_program(std::uint32_t name);

using BufferName = Name<destroy_buffer>;
using TextureName = Name<destroy_texture>;
using FramebufferName = Name<destroy_framebuffer>;
using VertexArrayName = Name<destroy_vertex_array>;
using ShaderName = Name<destroy_shader>;
using ProgramName = Name<destroy_program>;

/// A vertex array without attributes, because core profiles draw only if a vertex array is bound.
class VertexArray {
public:
    VertexArray();
    void bind() const;

private:
    VertexArrayName name_;
};

/// Restores the bindings of framebuffers at the end of its scope.
class FramebufferBindingGuard {
public:
    FramebufferBindingGuard();
    FramebufferBindingGuard(const FramebufferBindingGuard&) = delete;
    FramebufferBindingGuard& operator=(const FramebufferBindingGuard&) = delete;
    ~FramebufferBindingGuard();

private:
    std::int32_t draw_ = 0;
    std::int32_t read_ = 0;
};

}  // namespace snapviewer::render::gl
