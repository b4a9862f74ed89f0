#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "render/gl/program.h"
#include "render/gl/table.h"
#include "render/gl/upload_queue.h"
#include "render/scene.h"
#include "render/timeline_tables.h"

namespace snapviewer {

/// The chunks of one draw command, as glMultiDrawArrays wants them: vertices, not records.
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
};

/// One mesh in the memory of the GPU.
class GpuMesh {
public:
    /// Makes room and leaves the sending to the queue, which the memory of the arguments must outlive.
    Status upload(const TimelineTables& tables, const Mesh& mesh, gl::UploadQueue& queue);
    /// Finds what lies in the view. The ranges stay valid until the next call.
    const VertexRanges& select(const View& view, Axis axis);

private:
    friend class MeshPainter;
    struct Extent {
        double begin = 0, end = 0;
    };
    struct ChunkExtent {
        Extent steps, time, bytes;
        std::int32_t first_vertex = 0;
        std::int32_t vertex_count = 0;
    };

    gl::Table records_, high_words_, groups_, pieces_;
    std::vector<ChunkExtent> chunks_;
    VertexRanges selected_;
    std::uint32_t piece_bits_ = 0;
};

/// Paints a view from triangles: what GpuMesh::select() found in it. Every column of pixels shows the moment at its middle.
class MeshPainter {
public:
    /// Needs OpenGL 4.1; fails with ErrorCode::environment.
    static Result<MeshPainter> create();

    /// Draws into the viewport (0, 0, width, height) of the bound framebuffer, over what is there. One draw call.
    void paint(const GpuMesh& mesh, const VertexRanges& ranges, const Scene& scene);

private:
    explicit MeshPainter(gl::Program program) : program_(std::move(program)) {}
    gl::Program program_;
};

}  // namespace snapviewer
