#include "render/gpu_stack_index.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>

#include "render/background.h"
#include "render/shaders.h"

namespace snapviewer {
namespace {

using gl::Texel;

/// A number as the shaders take it: whole part in two words (two's complement), and the rest.
struct Split {
    GLuint low, high;
    float rest;

    explicit Split(double number) {
        const double floor = std::floor(number);
        const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::clamp(floor, -0x1p62, 0x1p62)));
        low = static_cast<GLuint>(whole);
        high = static_cast<GLuint>(whole >> 32);
        rest = static_cast<float>(number - floor);
    }
};

/// Rows of pixels in a block, as in shaders/stack_common.glsl.
constexpr int k_block_rows = 16;

void set_picture(const gl::Program& program, const char* name, GLint unit, const gl::TextureName& picture) {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(GL_TEXTURE_2D, picture.get());
    glUniform1i(program.uniform(name), unit);
}

void set_table(const gl::Program& program, const char* name, GLint unit, const gl::BufferTexture& table) {
    table.bind(static_cast<std::uint32_t>(unit));
    glUniform1i(program.uniform(name), unit);
}

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
    add(sizes_, "sizes", index.sizes, Texel::two_uints);
    add(peaks_, "peaks", index.peaks, Texel::one_uint);
    peak_levels_ = index.peak_levels;
    last_tick_ = static_cast<std::uint32_t>(index.changes.size() - 2);
    return status;
}

Result<StackPainter> StackPainter::create() {
    auto columns = gl::Program::link(shaders::fullscreen_vert, shaders::columns_frag);
    if (!columns) return columns.error();
    auto blocks = gl::Program::link(shaders::fullscreen_vert, shaders::stack_common_glsl, shaders::blocks_frag);
    if (!blocks) return blocks.error();
    auto stack = gl::Program::link(shaders::fullscreen_vert, shaders::stack_common_glsl, shaders::stack_frag);
    if (!stack) return stack.error();
    return StackPainter(std::move(columns).value(), std::move(blocks).value(), std::move(stack).value());
}

void StackPainter::paint(const Scene& scene) {
    GLint target = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    column_target_.begin(scene.width_px, 1);
    find_columns(scene);
    block_target_.begin(scene.width_px, (scene.height_px + k_block_rows - 1) / k_block_rows);
    find_blocks(scene);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(target));
    glViewport(0, 0, scene.width_px, scene.height_px);
    find_pixels(scene);
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

void StackPainter::find_columns(const Scene& scene) {
    columns_.use();
    set_table(columns_, "ticks", 0, scene.ticks);
    set_table(columns_, "changes", 1, scene.index.changes_);
    set_table(columns_, "sizes", 2, scene.index.sizes_);
    set_table(columns_, "peaks", 3, scene.index.peaks_);
    const double origin = std::max(0.0, std::floor(scene.view.x_begin + scene.view.width() / 2));
    const Split whole_origin(origin);
    glUniform2ui(columns_.uniform("origin"), whole_origin.low, whole_origin.high);
    glUniform1f(columns_.uniform("first_edge"), static_cast<float>(scene.view.x_begin - origin));
    glUniform1f(columns_.uniform("column_width"), static_cast<float>(scene.view.width() / scene.width_px));
    glUniform1f(columns_.uniform("slide"), static_cast<float>(scene.slide));
    glUniform1ui(columns_.uniform("last_tick"), scene.index.last_tick_);
    glUniform1i(columns_.uniform("peak_level_count"), static_cast<GLint>(scene.index.peak_levels_.size()));
    glUniform1uiv(columns_.uniform("peak_levels"), static_cast<GLsizei>(scene.index.peak_levels_.size()),
                  scene.index.peak_levels_.data());
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void StackPainter::set_tables(const gl::Program& program, const Scene& scene) const {
    set_picture(program, "columns", 0, column_target_.texture);
    set_table(program, "nodes", 1, scene.index.nodes_);
    set_table(program, "versions", 2, scene.index.versions_);
    set_table(program, "changes", 3, scene.index.changes_);
    set_table(program, "sizes", 4, scene.index.sizes_);
    const double row_bytes = scene.view.height() / scene.height_px;
    const Split first_row(scene.view.y_begin + row_bytes / 2);
    const Split row(row_bytes);
    glUniform2ui(program.uniform("first_row"), first_row.low, first_row.high);
    glUniform1f(program.uniform("first_row_rest"), first_row.rest);
    glUniform2ui(program.uniform("row_bytes"), row.low, row.high);
    glUniform1f(program.uniform("row_bytes_rest"), row.rest);
}

void StackPainter::find_blocks(const Scene& scene) {
    blocks_.use();
    set_tables(blocks_, scene);
    glUniform1ui(blocks_.uniform("last_row"), static_cast<GLuint>(scene.height_px - 1));
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void StackPainter::find_pixels(const Scene& scene) {
    stack_.use();
    set_tables(stack_, scene);
    set_table(stack_, "colours", 5, scene.colours);
    set_picture(stack_, "blocks", 6, block_target_.texture);
    glUniform1ui(stack_.uniform("highlighted"), scene.highlighted.value);
    glUniform3f(stack_.uniform("background"), k_background[0], k_background[1], k_background[2]);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, 0);
}

}  // namespace snapviewer
