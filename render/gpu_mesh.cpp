#include "render/gpu_mesh.h"

#include <bit>
#include <cassert>
#include <cmath>

namespace snapviewer {
namespace {

// The shader reads pairs of 32-bit words where we have structs and 64-bit numbers.
static_assert(sizeof(Record) == 8 && sizeof(ChunkBase) == 8);
static_assert(std::endian::native == std::endian::little, "tick tables are sent as they lie in memory");

}  // namespace

Status GpuMesh::upload(const TickTable& ticks, const Mesh& mesh, gl::UploadQueue& needed, gl::UploadQueue& triangles) {
    assert(mesh.groups.size() * k_group_records >= mesh.records.size());
    using gl::Texel;
    const bool own_ticks = !mesh.own_tick_steps.empty();
    const std::span<const std::uint64_t> steps = own_ticks ? mesh.own_tick_steps : ticks.steps;
    const std::span<const std::int64_t> times_us = own_ticks ? std::span<const std::int64_t>{} : ticks.times_us;
    // More records than the driver takes are left out, as those of a mesh without room for them are.
    const bool fits = mesh.records.size() <= gl::BufferTexture::most_texels() || !mesh.far;
    const std::span<const Record> records = fits ? std::span<const Record>(mesh.records) : std::span<const Record>{};
    Status status;
    const auto add = [&](gl::UploadQueue& queue, gl::BufferTexture& table, const char* what, const auto& data, Texel texel) {
        if (status) status = queue.add(table, what, data.data(), data.size(), texel);
    };
    add(needed, steps_, "steps", steps, Texel::two_uints);
    add(needed, times_, "times", times_us, Texel::two_uints);
    add(triangles, records_, "records", records, Texel::two_uints);
    add(triangles, groups_, "record groups", mesh.groups, Texel::two_uints);
    add(triangles, pieces_, "pieces", mesh.pieces, Texel::one_uint);
    add(triangles, heights_, "sizes", mesh.heights, Texel::one_uint);
    if (!status) return status;

    has_times_ = !times_us.empty();
    straight_ = mesh.straight;
    piece_bits_ = mesh.piece_bits;
    unit_bytes_ = std::ldexp(1.0, static_cast<int>(mesh.unit_shift));
    chunks_.clear();
    chunks_.reserve(mesh.chunks.size());
    for (const Chunk& chunk : fits ? std::span<const Chunk>(mesh.chunks) : std::span<const Chunk>{}) {
        ChunkExtent extent;
        extent.steps = {static_cast<double>(steps[chunk.first_tick]),
                        static_cast<double>(steps[chunk.last_tick]) + slide(Axis::steps)};
        if (has_times_) {
            extent.time = {static_cast<double>(times_us[chunk.first_tick]), static_cast<double>(times_us[chunk.last_tick])};
        }
        // Rounding to units may have moved an edge by one of them.
        extent.bytes = {static_cast<double>(chunk.low_bytes) - unit_bytes_,
                        static_cast<double>(chunk.high_bytes) + unit_bytes_};
        extent.first_vertex = static_cast<std::int32_t>(chunk.first_record * 4);
        extent.vertex_count = static_cast<std::int32_t>(chunk.record_count * 4);
        chunks_.push_back(extent);
    }
    selected_.first.reserve(chunks_.size());
    selected_.count.reserve(chunks_.size());
    return {};
}

void GpuMesh::bind(Axis axis) const {
    records_.bind(0);
    groups_.bind(1);
    pieces_.bind(2);
    (axis == Axis::steps ? steps_ : times_).bind(3);
    heights_.bind(4);
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

const VertexRanges& GpuMesh::select_all() {
    selected_.clear();
    for (const ChunkExtent& chunk : chunks_) selected_.add(chunk.first_vertex, chunk.vertex_count);
    return selected_;
}

}  // namespace snapviewer
