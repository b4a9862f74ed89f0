#pragma once

#include <bit>
#include <cstdint>

/// The constants of the tables that shaders read, from the file that the shaders themselves are made of.
namespace snapviewer::mesh::gpu_format {

using uint = std::uint32_t;  // GLSL's name of this type
#include "shaders/format.glsl"

/// The smallest shift with which heights up to `highest_bytes` fit 32 bits. Shifted heights are exact to 2^-31 of that.
inline std::uint32_t unit_shift_for(std::uint64_t highest_bytes) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(highest_bytes));
    return bits > 32 ? bits - 32 : 0;
}

}  // namespace snapviewer::mesh::gpu_format
