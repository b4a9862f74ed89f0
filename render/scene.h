#pragma once

#include <cstdint>
#include <glm/vec2.hpp>

#include "core/timeline/view.h"
#include "core/trace/stack_table.h"
#include "render/background.h"
#include "render/gl/program.h"
#include "render/gl/table.h"

namespace snapviewer {

/// The input of both painters for one picture.
struct Scene {
    const gl::Table& ticks;  ///< place of each tick on the axis
    const gl::Table& sizes;
    const gl::Table& colours;
    const gl::Table& standing_out;   ///< bits of the highlighted allocations; any table if `darkest_grey` is 0
    std::uint32_t darkest_grey = 0;  ///< grey level of other allocations, see shaders/colours.glsl; 0 without highlight
    double slide = 0;                ///< length of a slide on the axis
    View view;
    glm::ivec2 size_px{0, 0};
    /// True if a column of pixels is at most as wide as a tick lasts. Each column then shows the moment at its middle, and
    /// every tick is visible.
    bool ticks_are_wide = false;
    AllocationId highlighted;  ///< drawn brighter; may be none()
    glm::vec3 background = k_background;
};

/// A number for shaders, which have neither 64-bit integers nor doubles. Differences of such numbers are exact near the
/// middle of a picture, however far that is from 0.
struct SplitNumber {
    glm::uvec2 whole{0, 0};  ///< low and high word, two's complement
    float rest = 0;          ///< fraction, at least 0 and below 1

    explicit SplitNumber(double number);
};

/// Sets the uniforms of shaders/colours.glsl, and binds its tables to two texture units.
void set_colours(const gl::Program& program, const Scene& scene, std::uint32_t colours_unit,
                 std::uint32_t standing_out_unit);

/// Sets the uniforms of shaders/place.glsl, which define the places of pixels on the axes.
void set_place(const gl::Program& program, const Scene& scene);

}  // namespace snapviewer
