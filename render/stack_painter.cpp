#include "render/stack_painter.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "render/shaders.h"

namespace snapviewer {
namespace {

using gl::Texel;

constexpr int k_block_rows = gpu_format::k_block_rows;

}  // namespace

Status GpuStackIndex::upload(const StackIndex& index, gl::UploadQueue& queue) {
    static_assert(sizeof(StackIndex::Node) == 16 && sizeof(StackIndex::Version) == 16 && sizeof(StackIndex::Change) == 16);
    Status status;
    const auto add = [&](gl::Table& table, const char* what, const auto& data, Texel texel) {
        if (status) status = queue.add(table, what, data.data(), data.size(), texel);
    };
    const std::span<const StackIndex::Node> nodes = index.nodes;
    node_count_ = nodes.size();
    first_of_more_ = std::min(node_count_, gl::Table::most_texels());
    add(nodes_, "tree nodes", nodes.first(first_of_more_), Texel::four_uints);
    if (has_more()) add(more_nodes_, "further tree nodes", nodes.subspan(first_of_more_), Texel::four_uints);
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
    auto walks = link_walks();
    if (!walks) return walks.error();
    auto long_walks = link_long_walks();
    if (!long_walks) return long_walks.error();
    return StackPainter(std::move(columns).value(), std::move(walks).value(), std::move(long_walks).value());
}

/// Mesa numbers the textures of a program in the order of their declaration, and compiles the program again if the previous
/// program has left textures of another kind in their places. Therefore tables, which need no samplers, are declared before
/// pictures.
Result<StackPainter::Walks> StackPainter::link_walks() {
    using namespace shaders;
    auto blocks = gl::Program::link(
        {fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, stack_tables_glsl, tree_nodes_glsl, blocks_frag});
    if (!blocks) return blocks.error();
    auto stack = gl::Program::link({fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, look_glsl, stack_tables_glsl,
                                                       tree_nodes_glsl, colours_glsl, stack_frag});
    if (!stack) return stack.error();
    return Walks{std::move(blocks).value(), std::move(stack).value()};
}

Result<StackPainter::Walks> StackPainter::link_long_walks() {
    using namespace shaders;
    auto blocks = gl::Program::link(
        {fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, stack_tables_glsl, many_tree_nodes_glsl, blocks_frag});
    if (!blocks) return blocks.error();
    auto stack = gl::Program::link({fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, look_glsl, stack_tables_glsl,
                                                       many_tree_nodes_glsl, colours_glsl, stack_frag});
    if (!stack) return stack.error();
    return Walks{std::move(blocks).value(), std::move(stack).value()};
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
    if (!index.has_more()) return;
    program.set_table("more_nodes", 7, index.more_nodes_);
    program.set("first_of_more", static_cast<std::uint32_t>(index.first_of_more_));
}

void StackPainter::find_blocks(const GpuStackIndex& index, const Scene& scene) {
    const gl::Program& blocks = walks_of(index).blocks;
    blocks.use();
    set_tables(blocks, index, scene);
    blocks.set_table("versions", 4, index.versions_);
    blocks.set("last_row", static_cast<std::uint32_t>(scene.size_px.y - 1));
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void StackPainter::find_pixels(const GpuStackIndex& index, const Scene& scene) {
    const gl::Program& stack = walks_of(index).stack;
    stack.use();
    set_tables(stack, index, scene);
    set_colours(stack, scene, 4, 6);
    stack.set_picture("blocks", 5, block_target_.texture);
    stack.set("highlighted", scene.highlighted.value);
    stack.set("background", scene.background);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, 0);
}

}  // namespace snapviewer
