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

Status GpuMesh::upload(const TickTable& ticks, const Mesh& mesh) {
    assert(mesh.groups.size() * k_group_records >= mesh.records.size());
    using gl::Texel;
    const bool own_ticks = !mesh.own_tick_steps.empty();
    const std::span<const std::uint64_t> steps = own_ticks ? mesh.own_tick_steps : ticks.steps;
    const std::span<const std::int64_t> times_us = own_ticks ? std::span<const std::int64_t>{} : ticks.times_us;
    // More records than the driver takes are left out, as those of a mesh without room for them are.
    const bool fits = mesh.records.size() <= gl::BufferTexture::most_texels() || !mesh.far;
    const std::span<const Record> records = fits ? std::span<const Record>(mesh.records) : std::span<const Record>{};
    Status status = records_.upload("records", records.data(), records.size(), Texel::two_uints);
    if (status) status = groups_.upload("record groups", mesh.groups.data(), mesh.groups.size(), Texel::two_uints);
    if (status) status = pieces_.upload("pieces", mesh.pieces.data(), mesh.pieces.size(), Texel::one_uint);
    if (status) status = heights_.upload("sizes", mesh.heights.data(), mesh.heights.size(), Texel::one_uint);
    if (status) status = steps_.upload("steps", steps.data(), steps.size(), Texel::two_uints);
    if (status) status = times_.upload("times", times_us.data(), times_us.size(), Texel::two_uints);
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

std::uint64_t GpuMesh::uploaded_bytes() const {
    return records_.size_bytes() + groups_.size_bytes() + pieces_.size_bytes() + heights_.size_bytes() +
           steps_.size_bytes() + times_.size_bytes();
}

}  // namespace snapviewer
