#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/vec2.hpp>
#include <utility>

#include "core/base/result.h"
#include "render/gl/program.h"

namespace snapviewer::render {

/// Draws triangles of ImGui's vertices without ImGui's texture. A software rasterizer spends three quarters of the time for
/// a plain pixel on reading a white texel. Main thread only; needs the OpenGL context in which it was created.
class PlainTriangles {
public:
    /// Fails with ErrorCode::environment and the driver's message.
    static Result<PlainTriangles> create();

    /// Sets the part of the window, in ImGui's coordinates, that the framebuffer shows.
    void show(glm::vec2 min, glm::vec2 size) const;

    /// Consecutive triangles of the bound buffers.
    struct Run {
        glm::ivec2 lower_left_px{0}, size_px{0};  ///< scissor box; pixels outside are not drawn
        std::uint32_t first_index = 0;            ///< position in the bound index buffer
        std::size_t index_bytes = 2;              ///< size of an index: 2 or 4
        std::uint32_t index_count = 0;
        std::uint32_t first_vertex = 0;  ///< vertex that index 0 refers to
        bool is_opaque = false;          ///< true if the triangles are drawn without blending
    };
    /// Draws triangles from the bound buffers. Changes the scissor box. Restores the program in use, and leaves blending
    /// enabled.
    void draw(const Run& run) const;

private:
    explicit PlainTriangles(gl::Program program) : program_(std::move(program)) {}

    gl::Program program_;
};

}  // namespace snapviewer::render
