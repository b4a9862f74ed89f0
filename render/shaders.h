#pragma once

#include <span>

/// The files of shaders/, embedded at build time. Each is a part of a shader, see gl::Program::link().
namespace snapviewer::render::shaders {

// NOLINTBEGIN(readability-identifier-naming): the variables have the names of the files.
extern const std::span<const unsigned char> desktop_glsl;
extern const std::span<const unsigned char> embedded_glsl;
extern const std::span<const unsigned char> buffer_tables_glsl;
extern const std::span<const unsigned char> picture_tables_glsl;
extern const std::span<const unsigned char> format_glsl;
extern const std::span<const unsigned char> integers_glsl;
extern const std::span<const unsigned char> place_glsl;
extern const std::span<const unsigned char> colours_glsl;
extern const std::span<const unsigned char> look_glsl;
extern const std::span<const unsigned char> stack_tables_glsl;
extern const std::span<const unsigned char> mesh_vert;
extern const std::span<const unsigned char> mesh_frag;
extern const std::span<const unsigned char> fullscreen_vert;
extern const std::span<const unsigned char> columns_frag;
extern const std::span<const unsigned char> blocks_frag;
extern const std::span<const unsigned char> stack_frag;
extern const std::span<const unsigned char> plain_vert;
extern const std::span<const unsigned char> plain_frag;
// NOLINTEND(readability-identifier-naming)

}  // namespace snapviewer::render::shaders
