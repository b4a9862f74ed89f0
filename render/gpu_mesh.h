#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "render/gl/buffer_texture.h"
#include "render/gl/upload_queue.h"
#include "render/timeline_renderer.h"

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

/// One mesh in the memory of the GPU. A device drawn with several levels of detail has one of these per level.
class GpuMesh {
public:
    /// Makes room and leaves the sending to two queues, which the memory of the arguments must outlive: the ticks are needed
    /// for any picture, the rest for triangles alone. Leaves the records out where the driver has no room for so many and
    /// the mesh can be drawn without. Takes the steps from the mesh where it has ticks of its own; it has no times then.
    Status upload(const TickTable& ticks, const Mesh& mesh, gl::UploadQueue& needed, gl::UploadQueue& triangles);
    /// Binds the tables to texture units 0 .. 3 and the heights to 4: records, groups, pieces, ticks, heights.
    void bind(Axis axis) const;
    /// Finds what lies in the view. The ranges stay valid until the next call.
    const VertexRanges& select(const View& view, Axis axis);
    /// All of the mesh, likewise.
    const VertexRanges& select_all();

    /// The place of each tick on an axis.
    const gl::BufferTexture& ticks(Axis axis) const { return axis == Axis::steps ? steps_ : times_; }
    bool has(Axis axis) const { return axis == Axis::steps || has_times_; }
    bool is_empty() const { return chunks_.empty(); }
    bool straight() const { return straight_; }
    std::uint32_t piece_bits() const { return piece_bits_; }
    /// How long a drop takes on the axis.
    double slide(Axis axis) const {
        return axis == Axis::steps && !straight_ ? static_cast<double>(Timeline::k_slide_steps) : 0.0;
    }
    double unit_bytes() const { return unit_bytes_; }

private:
    struct Extent {
        double begin = 0, end = 0;
    };
    struct ChunkExtent {
        Extent steps, time;  ///< slides included
        Extent bytes;
        std::int32_t first_vertex = 0;
        std::int32_t vertex_count = 0;
    };

    gl::BufferTexture records_, groups_, pieces_, heights_, steps_, times_;
    std::vector<ChunkExtent> chunks_;
    VertexRanges selected_;
    double unit_bytes_ = 1;
    std::uint32_t piece_bits_ = 0;
    bool has_times_ = false;
    bool straight_ = false;
};

}  // namespace snapviewer
