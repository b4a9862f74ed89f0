#include "render/mesh_painter.h"

#include <glad/gl.h>

#include <cassert>

#include "render/shaders.h"

namespace snapviewer {

// The shader reads each of these as two 32-bit words.
static_assert(sizeof(Record) == 8 && sizeof(ChunkBase) == 8);

Status GpuMesh::upload(const TimelineTables& tables, const TriangleMesh& mesh, gl::UploadQueue& queue) {
    assert(mesh.groups.size() * k_group_records >= mesh.records.size());
    using gl::Texel;
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
    constexpr std::uint32_t k_vertices = gpu_format::k_record_vertices;
    chunks_.clear();
    chunks_.reserve(mesh.chunks.size());
    for (const Chunk& chunk : mesh.chunks) {
        ChunkExtent extent;
        extent.steps = {static_cast<double>(tables.steps[chunk.first_tick]),
                        static_cast<double>(tables.steps[chunk.last_tick])};
        extent.bytes = {static_cast<double>(chunk.low_bytes), static_cast<double>(chunk.high_bytes)};
        extent.first_vertex = static_cast<std::int32_t>(chunk.first_record * k_vertices);
        extent.vertex_count = static_cast<std::int32_t>(chunk.record_count * k_vertices);
        chunks_.push_back(extent);
    }
    selected_.first.reserve(chunks_.size());
    selected_.count.reserve(chunks_.size());
    return {};
}

std::uint64_t GpuMesh::memory_bytes() const { return records_.size_bytes() + groups_.size_bytes() + pieces_.size_bytes(); }

const VertexRanges& GpuMesh::select(const View& view) {
    selected_.clear();
    for (const ChunkExtent& chunk : chunks_) {
        if (chunk.steps.end < view.x_begin || chunk.steps.begin > view.x_end) continue;
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

}  // namespace snapviewer
