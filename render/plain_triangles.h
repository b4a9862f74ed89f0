#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/vec2.hpp>
#include <utility>

#include "core/base/result.h"
#include "render/gl/program.h"

namespace snapviewer {

/// Draws triangles of ImGui's vertices without the texture that ImGui gives them: a software rasterizer takes three
/// quarters of the time to fill a pixel for reading a white one. Main thread; needs the OpenGL context that was current at
/// its making.
class PlainTriangles {
public:
    /// Fails with ErrorCode::environment and the driver's words.
    static Result<PlainTriangles> create();

    /// The part of the window's places that the framebuffer shows.
    void show(glm::vec2 min, glm::vec2 size) const;

    struct Run {
        glm::ivec2 lower_left_px{0}, size_px{0};  ///< what is outside is cut, as glScissor has it
        std::uint32_t first_index = 0;            ///< into the bound indices
        std::size_t index_bytes = 2;              ///< of one of them: 2 or 4
        std::uint32_t index_count = 0;
        std::uint32_t first_vertex = 0;  ///< that index 0 means
        bool is_opaque = false;          ///< what lies below does not show
    };
    /// From the vertices and indices that are bound. Leaves another scissor box and all else as it was: the program that was
    /// in use, and blending on.
    void draw(const Run& run) const;

private:
    explicit PlainTriangles(gl::Program program) : program_(std::move(program)) {}

    gl::Program program_;
};

}  // namespace snapviewer
