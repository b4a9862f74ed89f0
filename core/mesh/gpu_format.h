#pragma once

#include <cstdint>

/// The constants of the tables that shaders read, from the file that the shaders themselves are made of.
namespace snapviewer::gpu_format {

using uint = std::uint32_t;  // as GLSL calls it
#include "shaders/format.glsl"

}  // namespace snapviewer::gpu_format
