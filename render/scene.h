#pragma once

#include <cstdint>
#include <glm/vec2.hpp>

#include "core/timeline/view.h"
#include "core/trace/stack_table.h"
#include "render/background.h"
#include "render/gl/program.h"
#include "render/gl/table.h"

namespace snapviewer {

/// One picture to be painted, by whichever painter: from triangles or from the index.
struct Scene {
    const gl::Table& ticks;  ///< of the axis
    const gl::Table& sizes;
    const gl::Table& colours;
    const gl::Table& standing_out;   ///< anything where `darkest_grey` is 0
    std::uint32_t darkest_grey = 0;  ///< see shaders/colours.glsl
    double slide = 0;                ///< length of a drop on the axis
    View view;
    glm::ivec2 size_px{0, 0};
    /// A column of pixels is no wider than a tick lasts. Each column then shows the moment at its middle, which leaves out
    /// no tick.
    bool ticks_are_wide = false;
    AllocationId highlighted;
    glm::vec3 background = k_background;
};

/// A number as shaders take it, who have no 64-bit integers and no doubles: nothing near the middle of a picture may depend
/// on how far from 0 that is.
struct SplitNumber {
    glm::uvec2 whole{0, 0};  ///< low and high word, two's complement
    float rest = 0;          ///< at least 0, below 1

    explicit SplitNumber(double number);
};

/// Tells a program made with shaders/colours.glsl what colour allocations have, by tables at two units.
void set_colours(const gl::Program& program, const Scene& scene, std::uint32_t colours_unit,
                 std::uint32_t standing_out_unit);

/// Tells a program made with shaders/place.glsl where pixels lie on the axes.
void set_place(const gl::Program& program, const Scene& scene);

}  // namespace snapviewer
