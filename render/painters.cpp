#include "render/painters.h"

#include <glad/gl.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "render/shaders.h"

namespace snapviewer::render {
namespace {

using gl::Texel;

/// A number for shaders, which have neither 64-bit integers nor doubles. Differences of such numbers are exact near the
/// middle of a picture, however far that is from 0.
struct SplitNumber {
    glm::uvec2 whole{0, 0};  ///< whole part: low and high word, in two's complement
    float rest = 0;          ///< fractional part, at least 0 and below 1

    explicit SplitNumber(double number) {
        const double floor = std::floor(number);
        const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::clamp(floor, -0x1p62, 0x1p62)));
        whole = glm::uvec2(static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32));
        rest = static_cast<float>(number - floor);
    }
};

/// Sets the uniforms of shaders/colours.glsl, and binds its tables to two texture units.
void set_colours(const gl::Program& program, const Scene& scene, std::uint32_t colours_unit, std::uint32_t highlight_unit) {
    program.set_table("colours", colours_unit, scene.colours);
    program.set_table("highlight_bits", highlight_unit, scene.highlight_bits);
    program.set("no_others", scene.darkest_grey == 0 ? ~std::uint32_t{0} : 0);
    program.set("darkest_grey", scene.darkest_grey);
}

/// Sets the uniforms of shaders/place.glsl, which define the places of pixels on the axes.
void set_place(const gl::Program& program, const Scene& scene) {
    const View& view = scene.view;
    const glm::dvec2 pixel = glm::dvec2(view.width(), view.height()) / glm::dvec2(scene.size_px);
    const double origin = std::floor(view.x_begin + view.width() / 2);
    program.set("origin", SplitNumber(origin).whole);
    program.set("first_edge", static_cast<float>(view.x_begin - origin));
    program.set("column_width", static_cast<float>(pixel.x));
    program.set("slide", static_cast<float>(scene.slide));
    const SplitNumber first_row(view.y_begin + pixel.y / 2);
    const SplitNumber row(pixel.y);
    program.set("first_row", first_row.whole);
    program.set("first_row_rest", first_row.rest);
    program.set("row_bytes", row.whole);
    program.set("row_bytes_rest", row.rest);
}

}  // namespace

// The shader reads a Record and a ChunkBase as two words of 32 bits each.
static_assert(sizeof(mesh::Record) == 8 && sizeof(mesh::ChunkBase) == 8);

Status GpuMesh::upload(const TimelineTables& tables, const mesh::TriangleMesh& mesh, gl::UploadQueue& queue) {
    assert(mesh.groups.size() * mesh::k_group_records >= mesh.records.size());
    Status status;
    const auto add = [&](gl::Table& table, const char* what, const auto& data, Texel texel) {
        if (status) status = queue.add(table, what, data.data(), data.size(), texel);
    };
    add(records_, "records", mesh.records, Texel::two_uints);
    add(groups_, "record groups", mesh.groups, Texel::two_uints);
    add(pieces_, "pieces", mesh.pieces, Texel::one_uint);
    if (!status) return status;

    piece_bits_ = mesh.piece_bits;
    unit_shift_ = mesh.unit_shift;
    constexpr std::uint32_t k_vertices = mesh::gpu_format::k_record_vertices;
    chunks_.clear();
    for (const mesh::Chunk& chunk : mesh.chunks) {
        chunks_.push_back({static_cast<double>(tables.steps[chunk.first_tick]),
                           static_cast<double>(tables.steps[chunk.last_tick]), static_cast<double>(chunk.low_bytes),
                           static_cast<double>(chunk.high_bytes), static_cast<std::int32_t>(chunk.first_record * k_vertices),
                           static_cast<std::int32_t>(chunk.record_count * k_vertices)});
    }
    selected_.first.reserve(chunks_.size());
    selected_.count.reserve(chunks_.size());
    return {};
}

std::uint64_t GpuMesh::memory_bytes() const { return records_.size_bytes() + groups_.size_bytes() + pieces_.size_bytes(); }

const VertexRanges& GpuMesh::select(const View& view) {
    selected_.clear();
    for (const VisibleChunk& chunk : chunks_) {
        const bool is_visible = chunk.last_step >= view.x_begin && chunk.first_step <= view.x_end &&
                                chunk.high_bytes >= view.y_begin && chunk.low_bytes <= view.y_end;
        if (is_visible) selected_.add(chunk.first_vertex, chunk.vertex_count);
    }
    return selected_;
}

Result<MeshPainter> MeshPainter::create() {
    using namespace shaders;
    auto program = gl::Program::link({format_glsl, integers_glsl, place_glsl, colours_glsl, mesh_vert},
                                     {format_glsl, integers_glsl, place_glsl, look_glsl, mesh_frag});
    if (!program) return program.error();
    return MeshPainter(std::move(program).value());
}

void MeshPainter::paint(const GpuMesh& mesh, const VertexRanges& ranges, const Scene& scene) {
    program_.use();
    set_place(program_, scene);
    program_.set("size_px", glm::vec2(scene.size_px));
    program_.set("highlighted", scene.highlighted.value);
    program_.set("piece_bits", mesh.piece_bits_);
    program_.set("unit_shift", mesh.unit_shift_);
    program_.set_table("records", 0, mesh.records_);
    program_.set_table("groups", 1, mesh.groups_);
    program_.set_table("pieces", 2, mesh.pieces_);
    program_.set_table("ticks", 3, scene.ticks);
    program_.set_table("sizes", 4, scene.sizes);
    set_colours(program_, scene, 5, 6);
    glViewport(0, 0, scene.size_px.x, scene.size_px.y);
    glMultiDrawArrays(GL_TRIANGLE_STRIP, ranges.first.data(), ranges.count.data(),
                      static_cast<GLsizei>(ranges.first.size()));
}

Status GpuStackIndex::upload(const mesh::StackIndex& index, gl::UploadQueue& queue) {
    static_assert(sizeof(mesh::StackIndex::Node) == 16 && sizeof(mesh::StackIndex::Version) == 16 &&
                  sizeof(mesh::StackIndex::Change) == 16);
    Status status;
    const auto add = [&](gl::Table& table, const char* what, const auto& data, Texel texel) {
        if (status) status = queue.add(table, what, data.data(), data.size(), texel);
    };
    add(nodes_, "tree nodes", index.nodes, Texel::four_uints);
    add(versions_, "tree versions", index.versions, Texel::four_uints);
    add(changes_, "changes", index.changes, Texel::four_uints);
    add(peaks_, "peaks", index.peaks, Texel::one_uint);
    peak_levels_ = index.peak_levels;
    last_tick_ = static_cast<std::uint32_t>(index.changes.size() - 2);
    version_shift_ = index.version_shift;
    return status;
}

/// Mesa numbers the textures of a program in the order of their declaration, and compiles the program again if the previous
/// program has left textures of another kind in their places. Therefore tables, which need no samplers, are declared before
/// pictures.
Result<StackPainter> StackPainter::create() {
    using namespace shaders;
    auto columns = gl::Program::link({fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, columns_frag});
    if (!columns) return columns.error();
    auto blocks =
        gl::Program::link({fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, stack_tables_glsl, blocks_frag});
    if (!blocks) return blocks.error();
    auto stack = gl::Program::link(
        {fullscreen_vert}, {format_glsl, integers_glsl, place_glsl, look_glsl, stack_tables_glsl, colours_glsl, stack_frag});
    if (!stack) return stack.error();
    return StackPainter(std::move(columns).value(), std::move(blocks).value(), std::move(stack).value());
}

void StackPainter::paint(const GpuStackIndex& index, const Scene& scene) {
    GLint target = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
    column_target_.begin(scene.size_px.x, 1);
    find_columns(index, scene);
    constexpr int k_block_rows = mesh::gpu_format::k_block_rows;
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
    program.set("version_shift", index.version_shift_);
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
    set_colours(stack_, scene, 4, 6);
    stack_.set_picture("blocks", 5, block_target_.texture);
    stack_.set("highlighted", scene.highlighted.value);
    stack_.set("background", scene.background);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, 0);
}

}  // namespace snapviewer::render
