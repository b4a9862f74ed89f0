#include "render/stack_painter.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>

#include "render/shaders.h"

namespace snapviewer {
namespace {

using gl::Texel;

constexpr int k_block_rows = gpu_format::k_block_rows;

}  // namespace

Status GpuStackIndex::upload(const StackIndex& index, gl::UploadQueue& queue) {
    static_assert(sizeof(StackIndex::Node) == 16 && sizeof(StackIndex::Version) == 16 && sizeof(StackIndex::Change) == 16);
    Status status;
    const auto add = [&](gl::BufferTexture& table, const char* what, const auto& data, Texel texel) {
        if (status) status = queue.add(table, what, data.data(), data.size(), texel);
    };
    add(nodes_, "tree nodes", index.nodes, Texel::four_uints);
    add(versions_, "tree versions", index.versions, Texel::four_uints);
    add(changes_, "changes", index.changes, Texel::four_uints);
    add(peaks_, "peaks", index.peaks, Texel::one_uint);
    peak_levels_ = index.peak_levels;
    last_tick_ = static_cast<std::uint32_t>(index.changes.size() - 2);
    return status;
}

Result<StackPainter> StackPainter::create() {
    using namespace shaders;
    auto columns = gl::Program::link({fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, columns_frag});
    if (!columns) return columns.error();
    auto blocks =
        gl::Program::link({fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, stack_tables_glsl, blocks_frag});
    if (!blocks) return blocks.error();
    auto stack = gl::Program::link({fullscreen_vert},
                                   {format_glsl, integers_glsl, place_glsl, look_glsl, stack_tables_glsl, stack_frag});
    if (!stack) return stack.error();
    return StackPainter(std::move(columns).value(), std::move(blocks).value(), std::move(stack).value());
}

void StackPainter::paint(const GpuStackIndex& index, const Scene& scene) {
    GLint target = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    column_target_.begin(scene.size_px.x, 1);
    find_columns(index, scene);
    block_target_.begin(scene.size_px.x, (scene.size_px.y + k_block_rows - 1) / k_block_rows);
    find_blocks(index, scene);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(target));
    glViewport(0, 0, scene.size_px.x, scene.size_px.y);
    find_pixels(index, scene);
}

void StackPainter::Target::begin(int wanted_width, int wanted_height) {
    if (width != wanted_width || height != wanted_height) {
        GLuint names[2] = {};
        glGenTextures(1, &names[0]);
        glGenFramebuffers(1, &names[1]);
        texture = gl::TextureName(names[0]);
        framebuffer = gl::FramebufferName(names[1]);
        width = wanted_width;
        height = wanted_height;
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, texture.get());
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, width, height, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer.get());
        glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture.get(), 0);
    }
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer.get());
    glViewport(0, 0, width, height);
}

void StackPainter::find_columns(const GpuStackIndex& index, const Scene& scene) {
    columns_.use();
    set_place(columns_, scene);
    columns_.set_table("ticks", 0, scene.ticks);
    columns_.set_table("changes", 1, index.changes_);
    columns_.set_table("sizes", 2, scene.sizes);
    columns_.set_table("peaks", 3, index.peaks_);
    columns_.set("ticks_are_wide", scene.ticks_are_wide);
    columns_.set("last_tick", index.last_tick_);
    columns_.set("peak_level_count", static_cast<std::int32_t>(index.peak_levels_.size()));
    columns_.set("peak_levels", index.peak_levels_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void StackPainter::set_tables(const gl::Program& program, const GpuStackIndex& index, const Scene& scene) const {
    set_place(program, scene);
    program.set_picture("columns", 0, column_target_.texture);
    program.set_table("nodes", 1, index.nodes_);
    program.set_table("changes", 2, index.changes_);
    program.set_table("sizes", 3, scene.sizes);
}

void StackPainter::find_blocks(const GpuStackIndex& index, const Scene& scene) {
    blocks_.use();
    set_tables(blocks_, index, scene);
    blocks_.set_table("versions", 4, index.versions_);
    blocks_.set("last_row", static_cast<std::uint32_t>(scene.size_px.y - 1));
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void StackPainter::find_pixels(const GpuStackIndex& index, const Scene& scene) {
    stack_.use();
    set_tables(stack_, index, scene);
    stack_.set_table("colours", 4, scene.colours);
    stack_.set_picture("blocks", 5, block_target_.texture);
    stack_.set("highlighted", scene.highlighted.value);
    stack_.set("background", scene.background);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, 0);
}

}  // namespace snapviewer
