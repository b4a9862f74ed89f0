#pragma once

#include <glm/vec2.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/mesh/stack_index.h"
#include "core/mesh/triangle_mesh.h"
#include "core/timeline/view.h"
#include "core/trace/stack_table.h"
#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/gl/table.h"
#include "render/timeline_renderer.h"

namespace snapviewer::render {

/// The input of both painters for one picture.
struct Scene {
    const gl::Table& ticks;  ///< place of each tick on the axis
    const gl::Table& sizes;
    const gl::Table& colours;
    const gl::Table& highlight_bits;  ///< bits of the highlighted allocations; any table if `darkest_grey` is 0
    std::uint32_t darkest_grey = 0;   ///< grey level of other allocations, see shaders/colours.glsl; 0 without highlight
    double slide = 0;                 ///< length of a slide on the axis
    View view;
    glm::ivec2 size_px{0, 0};
    /// True if a column of pixels is at most as wide as a tick lasts. Each column then shows the moment at its middle, and
    /// every tick is visible.
    bool ticks_are_wide = false;
    AllocationId highlighted;  ///< allocation that is drawn brighter; may be none()
    glm::vec3 background = k_background;
};

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
    std::uint64_t records() const { return total / mesh::gpu_format::k_record_vertices; }
};

/// One triangle mesh in the memory of the GPU.
class GpuMesh {
public:
    /// Adds the tables to the queue, which the memory of the arguments must outlive. Fails with ErrorCode::environment if
    /// the driver has no tables of that length.
    Status upload(const TimelineTables& tables, const mesh::TriangleMesh& mesh, gl::UploadQueue& queue);
    /// Returns the vertices of the chunks in view, on the axis of steps. Valid until the next call. O(chunks).
    const VertexRanges& select(const View& view);

    std::uint64_t record_count() const { return records_.count(); }
    std::uint64_t memory_bytes() const;
    /// The unit in bytes to which heights are rounded down.
    double unit_bytes() const { return static_cast<double>(std::uint64_t{1} << unit_shift_); }

private:
    friend class MeshPainter;
    struct VisibleChunk {
        double first_step, last_step, low_bytes, high_bytes;
        std::int32_t first_vertex, vertex_count;
    };

    gl::Table records_, groups_, pieces_;
    std::vector<VisibleChunk> chunks_;
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

/// The tables of a StackIndex in the memory of the GPU.
class GpuStackIndex {
public:
    /// Adds the tables to the queue; the index must outlive the upload. Fails with ErrorCode::environment if the driver has
    /// no tables of that length.
    Status upload(const mesh::StackIndex& index, gl::UploadQueue& queue);

private:
    friend class StackPainter;

    gl::Table nodes_, versions_, changes_, peaks_;
    std::vector<std::uint32_t> peak_levels_;
    std::uint32_t last_tick_ = 0;
    std::uint32_t version_shift_ = 0;
};

/// Paints a view by looking up each pixel in the index, in three passes. The first pass finds the tick of each column. The
/// second pass walks down the tree for blocks of 16 pixels of a column, as far as the paths of all of them are equal. The
/// third pass walks the rest of the way for each pixel. The cost follows the number of pixels, not the size of the file.
class StackPainter {
public:
    /// Needs OpenGL 4.1; fails with ErrorCode::environment.
    static Result<StackPainter> create();

    /// Fills the viewport (0, 0, width, height) of the bound framebuffer. Three draw calls of three vertices.
    void paint(const GpuStackIndex& index, const Scene& scene);

private:
    /// The output of a pass, which the next pass reads: four 32-bit integers per place.
    struct Target {
        gl::TextureName texture;
        gl::FramebufferName framebuffer;
        int width = 0, height = 0;

        /// Resizes the target and binds it for drawing.
        void begin(int wanted_width, int wanted_height);
    };

    StackPainter(gl::Program columns, gl::Program blocks, gl::Program stack)
        : columns_(std::move(columns)), blocks_(std::move(blocks)), stack_(std::move(stack)) {}
    void find_columns(const GpuStackIndex& index, const Scene& scene);
    void find_blocks(const GpuStackIndex& index, const Scene& scene);
    void find_pixels(const GpuStackIndex& index, const Scene& scene);
    void set_tables(const gl::Program& program, const GpuStackIndex& index, const Scene& scene) const;

    gl::Program columns_, blocks_, stack_;
    Target column_target_, block_target_;
};

}  // namespace snapviewer::render
