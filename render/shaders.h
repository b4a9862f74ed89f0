#pragma once

#include <span>

/// GLSL 4.10 sources from shaders/, embedded at build time. Not null-terminated.
namespace snapviewer::shaders {

extern const std::span<const unsigned char> timeline_vert;
extern const std::span<const unsigned char> timeline_frag;
extern const std::span<const unsigned char> fullscreen_vert;
extern const std::span<const unsigned char> columns_frag;
extern const std::span<const unsigned char> stack_common_glsl;
extern const std::span<const unsigned char> blocks_frag;
extern const std::span<const unsigned char> stack_frag;

}  // namespace snapviewer::shaders
