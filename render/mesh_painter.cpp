#include "render/mesh_painter.h"

#include <glad/gl.h>

#include <cassert>

#include "render/shaders.h"

namespace snapviewer {

// The shader reads pairs of 32-bit words where we have structs.
static_assert(sizeof(Record) == 8 && sizeof(ChunkBase) == 8);

Status GpuMesh::upload(const TimelineTables& tables, const Mesh& mesh, gl::UploadQueue& queue) {
    assert(mesh.groups.size() * k_group_records >= mesh.records.size());
    using gl::Texel;
    Status status;
    const auto add = [&](gl::Table& table, const char* what, const auto& data, Texel texel) {
        if (status) status = queue.add(table, what, data.data(), data.size(), texel);
    };
    add(records_, "records", mesh.records, Texel::two_uints);
    add(high_words_, "records", mesh.high_words, Texel::one_uint);
    add(groups_, "record groups", mesh.groups, Texel::two_uints);
    add(pieces_, "pieces", mesh.pieces, Texel::one_uint);
    if (!status) return status;

    piece_bits_ = mesh.piece_bits;
    constexpr std::uint32_t k_vertices = gpu_format::k_record_vertices;
    chunks_.clear();
    chunks_.reserve(mesh.chunks.size());
    for (const Chunk& chunk : mesh.chunks) {
        ChunkExtent extent;
        extent.steps = {static_cast<double>(tables.steps[chunk.first_tick]),
                        static_cast<double>(tables.steps[chunk.last_tick])};
        if (!tables.times_us.empty()) {
            extent.time = {static_cast<double>(tables.times_us[chunk.first_tick]),
                           static_cast<double>(tables.times_us[chunk.last_tick])};
        }
        extent.bytes = {static_cast<double>(chunk.low_bytes), static_cast<double>(chunk.high_bytes)};
        extent.first_vertex = static_cast<std::int32_t>(chunk.first_record * k_vertices);
        extent.vertex_count = static_cast<std::int32_t>(chunk.record_count * k_vertices);
        chunks_.push_back(extent);
    }
    selected_.first.reserve(chunks_.size());
    selected_.count.reserve(chunks_.size());
    return {};
}

const VertexRanges& GpuMesh::select(const View& view, Axis axis) {
    selected_.clear();
    for (const ChunkExtent& chunk : chunks_) {
        const Extent& x = axis == Axis::steps ? chunk.steps : chunk.time;
        if (x.end < view.x_begin || x.begin > view.x_end) continue;
        if (chunk.bytes.end < view.y_begin || chunk.bytes.begin > view.y_end) continue;
        selected_.add(chunk.first_vertex, chunk.vertex_count);
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
    program_.set("has_high_words", mesh.high_words_.size_bytes() > 0);
    program_.set_table("records", 0, mesh.records_);
    program_.set_table("high_words", 1, mesh.high_words_);
    program_.set_table("groups", 2, mesh.groups_);
    program_.set_table("pieces", 3, mesh.pieces_);
    program_.set_table("ticks", 4, scene.ticks);
    program_.set_table("sizes", 5, scene.sizes);
    set_colours(program_, scene, 6, 7);
    glViewport(0, 0, scene.size_px.x, scene.size_px.y);
    glMultiDrawArrays(GL_TRIANGLE_STRIP, ranges.first.data(), ranges.count.data(),
                      static_cast<GLsizei>(ranges.first.size()));
}

}  // namespace snapviewer
