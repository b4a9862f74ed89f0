#pragma once

#include <cstdint>
#include <glm/vec2.hpp>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/mesh/triangle_mesh.h"
#include "core/timeline/view.h"
#include "render/gl/program.h"
#include "render/gl/table.h"
#include "render/gl/upload_queue.h"
#include "render/scene.h"
#include "render/timeline_tables.h"

namespace snapviewer {

/// The chunks of one draw command as glMultiDrawArrays expects them, in vertices instead of records.
struct VertexRanges {
    std::vector<std::int32_t> first;
    std::vector<std::int32_t> count;
    std::uint64_t total = 0;

    void clear() {
        first.clear();
        count.clear();
        total = 0;
    }
    void add(std::int32_t first_vertex, std::int32_t vertex_count) {
        first.push_back(first_vertex);
        count.push_back(vertex_count);
        total += static_cast<std::uint64_t>(vertex_count);
    }
    std::uint64_t records() const { return total / gpu_format::k_record_vertices; }
};

/// One triangle mesh in the memory of the GPU.
class GpuMesh {
public:
    /// Adds the tables to the queue, which the memory of the arguments must outlive. Fails with ErrorCode::environment if
    /// the driver has no tables of that length.
    Status upload(const TimelineTables& tables, const TriangleMesh& mesh, gl::UploadQueue& queue);
    /// Returns the vertices of the chunks in view, on the axis of steps. Valid until the next call. O(chunks).
    const VertexRanges& select(const View& view);

    std::uint64_t record_count() const { return records_.count(); }
    std::uint64_t memory_bytes() const;
    /// The unit in bytes to which heights are rounded down.
    double unit_bytes() const { return static_cast<double>(std::uint64_t{1} << unit_shift_); }

private:
    friend class MeshPainter;
    struct Extent {
        double begin = 0, end = 0;
    };
    struct ChunkExtent {
        Extent steps, bytes;
        std::int32_t first_vertex = 0;
        std::int32_t vertex_count = 0;
    };

    gl::Table records_, groups_, pieces_;
    std::vector<ChunkExtent> chunks_;
    VertexRanges selected_;
    std::uint32_t piece_bits_ = 0;
    std::uint32_t unit_shift_ = 0;
};

/// Paints a view from the triangles that GpuMesh::select() returned. Each column of pixels shows the moment at its middle.
class MeshPainter {
public:
    /// Needs OpenGL 4.1; fails with ErrorCode::environment.
    static Result<MeshPainter> create();

    /// Draws into the viewport (0, 0, width, height) of the bound framebuffer, over its contents. One draw call.
    void paint(const GpuMesh& mesh, const VertexRanges& ranges, const Scene& scene);

private:
    explicit MeshPainter(gl::Program program) : program_(std::move(program)) {}
    gl::Program program_;
};

}  // namespace snapviewer
