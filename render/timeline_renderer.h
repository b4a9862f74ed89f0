#pragma once

#include <glm/vec3.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/base/result.h"
#include "core/mesh/colours.h"
#include "core/mesh/mesh.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"
#include "render/gl/objects.h"

namespace snapviewer::render {

struct Scene;
namespace gl {
class UploadQueue;
}

/// The default background: red, green, blue.
inline constexpr glm::vec3 k_background{0x14 / 255.0F, 0x17 / 255.0F, 0x1c / 255.0F};

/// The tables of a timeline that the GPU needs besides index and mesh.
struct TimelineTables {
    std::span<const std::uint64_t> steps;        ///< step of each tick; never decreases
    std::span<const std::int64_t> times_us;      ///< time of each tick since the left edge; empty if the file has no times
    std::span<const std::uint64_t> sizes_bytes;  ///< size of each allocation

    /// Uses the ticks of the mesh if it has its own, which have no times; otherwise the ticks of the timeline.
    static TimelineTables of(const Timeline& timeline, const mesh::Mesh& mesh) {
        const std::span<const std::uint64_t> sizes_bytes = timeline.trace().allocations.size_bytes;
        const std::span<const std::uint64_t> own_steps = mesh.triangles.own_tick_steps;
        return own_steps.empty() ? TimelineTables{timeline.tick_steps(), timeline.tick_times_us(), sizes_bytes}
                                 : TimelineTables{own_steps, {}, sizes_bytes};
    }
};

/// The data from which a view is drawn.
enum class DrawnFrom : std::uint8_t { nothing, index, mesh };
/// Returns "nothing", "index" or "mesh".
const char* drawn_from_name(DrawnFrom from);

/// The cost of drawing, for the status line, the benchmarks and the tests.
struct RenderStats {
    std::uint64_t uploads = 0;         ///< number of upload() and begin_upload() calls since the renderer was created
    std::uint64_t uploaded_bytes = 0;  ///< geometry and tables sent to the GPU since the renderer was created
    std::uint64_t drawn_vertices = 0;  ///< vertices of the last draw()
    std::uint64_t draw_calls = 0;      ///< drawing GL commands of the last draw(); one serves all chunks in view
    DrawnFrom drawn_from = DrawnFrom::nothing;  ///< data that the last draw() used
    std::uint64_t mesh_records = 0;             ///< records of the triangle mesh on the GPU; 0 until its upload is complete
    std::uint64_t mesh_bytes = 0;               ///< memory of the triangle mesh on the GPU
};

/// The input of choose_drawing() for one view.
struct DrawingChoice {
    bool has_index = false;
    bool has_mesh = false;
    bool is_software = false;  ///< result of is_software_driver()
    Axis axis = Axis::steps;
    double pixels_per_step = 0;
    double bytes_per_row = 0;        ///< height of a row of pixels
    double mesh_unit_bytes = 1;      ///< unit to which the mesh rounds heights
    std::uint64_t mesh_records = 0;  ///< records in the visible chunks of the mesh
};

/// Decides from what a view is drawn. Near views are drawn from the mesh: a step is at least a pixel wide, and the visible
/// chunks hold at most 30,000 records on a software rasterizer or 4 million on a GPU. All other views are drawn from the
/// index, including those in which a row of pixels is lower than the unit of the mesh, whose rounding would be visible.
/// Pictures without an index are always drawn from the mesh.
DrawnFrom choose_drawing(const DrawingChoice& choice);

/// The progress of begin_upload(). Until the upload is complete, draw() draws only the background.
struct UploadProgress {
    std::uint64_t sent_bytes = 0;
    std::uint64_t total_bytes = 0;
    bool is_done() const { return sent_bytes == total_bytes; }
    bool operator==(const UploadProgress&) const = default;
};

/// Draws the picture of one device. Owns its data on the GPU, which is sent once; draw() sends no geometry. All members need
/// the OpenGL context that was current in create(), on the same thread.
///
///     auto renderer = TimelineRenderer::create();
///     if (!renderer) return renderer.error();
///     if (const Status sent = (*renderer)->upload(timeline, mesh, colours); !sent) return sent;
///     (*renderer)->draw({0, 5000, 0, 80e9}, Axis::steps, 1600, 900, AllocationId::none());
class TimelineRenderer {
public:
    /// Needs OpenGL 4.1 core or OpenGL ES 3.0, already loaded. Fails with ErrorCode::environment and the driver's message.
    static Result<std::unique_ptr<TimelineRenderer>> create();
    /// Creates a renderer for another picture that shares the shader programs of this one. Compiling them takes a software
    /// rasterizer 0.3 s.
    std::unique_ptr<TimelineRenderer> create_with_same_programs() const;
    ~TimelineRenderer();

    /// Replaces the picture. `colours` has one 0xAABBGGRR per allocation. No argument is kept. Fails with
    /// ErrorCode::environment if the driver cannot hold the picture; then there is none.
    Status upload(const Timeline& timeline, const mesh::Mesh& mesh, std::span<const std::uint32_t> colours) {
        return upload(TimelineTables::of(timeline, mesh), mesh, colours);
    }
    Status upload(const TimelineTables& tables, const mesh::Mesh& mesh, std::span<const std::uint32_t> colours);
    /// Begins to replace the picture: sends the colours, and leaves everything else to continue_upload(). Keeps the timeline
    /// and the mesh until the upload is complete. Fails like upload().
    Status begin_upload(std::shared_ptr<const Timeline> timeline, std::shared_ptr<const mesh::Mesh> mesh,
                        std::span<const std::uint32_t> colours) {
        const TimelineTables tables = TimelineTables::of(*timeline, *mesh);
        return begin_upload(tables, std::move(timeline), std::move(mesh), colours);
    }
    /// Begins to replace the picture, with ticks at other places than in the timeline. `owner` owns the memory of the
    /// tables.
    Status begin_upload(const TimelineTables& tables, std::shared_ptr<const void> owner,
                        std::shared_ptr<const mesh::Mesh> mesh, std::span<const std::uint32_t> colours);
    /// Sends data for about `at_most`. Fails like upload().
    Status continue_upload(std::chrono::microseconds at_most);
    UploadProgress upload_progress() const;
    /// Adds a triangle mesh to a picture that has an index. continue_upload() sends it after everything else; until its
    /// upload is complete, all views are drawn from the index. Keeps the mesh until then. Drops the mesh if the driver has
    /// no memory for it. No-op if there is no picture. `tables` are the tables of the picture.
    void begin_mesh_upload(const TimelineTables& tables, std::shared_ptr<const mesh::TriangleMesh> mesh);
    bool is_sending_mesh() const;
    /// Replaces the colours. Sends 4 bytes per allocation and no geometry.
    void set_colours(std::span<const std::uint32_t> colours);
    /// Highlights allocations; all others are drawn in the grey of greyed(). Null, and upload(), end the highlight. Sends a
    /// bit per allocation. Fails with ErrorCode::environment if the driver has no memory for them; then there is no
    /// highlight.
    Status set_highlight(const Emphasis* emphasis, mesh::ThemeVariant theme);
    /// Removes the picture and releases its memory.
    void clear();

    /// Draws a view into the viewport (0, 0, width_px, height_px) of the bound framebuffer, including the background. The
    /// allocation `highlighted`, which may be none(), is drawn brighter. Draws only the background on Axis::time if the file
    /// has no times. Allocates no memory. The cost follows the visible part of the picture.
    void draw(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted);

    /// Sets the background for the following calls of draw(). Initially k_background.
    void set_background(const glm::vec3& rgb) { background_ = rgb; }
    const glm::vec3& background() const { return background_; }

    RenderStats stats() const;

private:
    struct Painters;
    struct Picture;

    explicit TimelineRenderer(std::shared_ptr<Painters> painters);
    void paint(const Scene& scene, Axis axis);
    Status send(gl::UploadQueue& queue, std::chrono::microseconds at_most);
    void continue_mesh_upload(std::chrono::microseconds at_most);

    std::shared_ptr<Painters> painters_;
    gl::VertexArray vertex_array_;
    std::unique_ptr<Picture> shown_;  ///< the picture whose upload is complete or in progress
    glm::vec3 background_ = k_background;
    RenderStats stats_;
};

}  // namespace snapviewer::render
