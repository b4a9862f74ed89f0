#pragma once

#include <chrono>
#include <cstdint>
#include <glm/vec3.hpp>
#include <memory>
#include <span>
#include <utility>

#include "core/base/result.h"
#include "core/mesh/greyed.h"
#include "core/mesh/mesh.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"
#include "render/timeline_tables.h"

namespace snapviewer {

/// The two ways to draw a view.
enum class DrawnFrom : std::uint8_t { nothing, index, mesh };
const char* drawn_from_name(DrawnFrom from);  ///< "nothing", "index", "mesh"

/// The cost of drawing, for the status line, the benchmarks and the tests.
struct RenderStats {
    std::uint64_t uploads = 0;         ///< number of upload() and begin_upload() calls since the renderer was created
    std::uint64_t uploaded_bytes = 0;  ///< geometry and tables sent to the GPU since the renderer was created
    std::uint64_t drawn_vertices = 0;  ///< vertices of the last draw()
    std::uint64_t draw_calls = 0;      ///< drawing GL commands of the last draw(); one serves all chunks in view
    DrawnFrom drawn_from = DrawnFrom::nothing;  ///< source of the last draw()
    std::uint64_t mesh_records = 0;             ///< size of the triangle mesh on the GPU; 0 until all of it is there
    std::uint64_t mesh_bytes = 0;
};

/// The facts that decide from what a view is drawn.
struct DrawingChoice {
    bool has_index = false;
    bool has_mesh = false;
    bool is_software = false;  ///< is_software_driver()
    Axis axis = Axis::steps;
    double pixels_per_step = 0;
    double bytes_per_row = 0;        ///< height of a row of pixels
    double mesh_unit_bytes = 1;      ///< GpuMesh::unit_bytes()
    std::uint64_t mesh_records = 0;  ///< in the visible chunks of the mesh
};

/// Chooses the mesh for near views: a step is at least a pixel wide, and the visible chunks hold at most 30,000 records on a
/// software rasterizer or 4 million on a GPU. All other views, and those in which the rounding of the mesh would show, are
/// drawn from the index.
DrawnFrom choose_drawing(const DrawingChoice& choice);

/// How far what was given to begin_upload() has come. Until it is done draw() draws the background alone.
struct UploadProgress {
    std::uint64_t sent_bytes = 0;
    std::uint64_t total_bytes = 0;
    bool is_done() const { return sent_bytes == total_bytes; }
    bool operator==(const UploadProgress&) const = default;
};

/// Draws one device's mesh. Holds the only copy on the GPU: it is sent once, draw() sends no geometry at all.
/// All members need the context that was current at create() to be current, on that thread.
///
///     auto renderer = TimelineRenderer::create();
///     if (!renderer) return renderer.error();
///     if (const Status sent = (*renderer)->upload(timeline, mesh, colours); !sent) return sent;
///     (*renderer)->draw({0, 5000, 0, 80e9}, Axis::steps, 1600, 900, AllocationId::none());
class TimelineRenderer {
public:
    /// Needs OpenGL 4.1 core, already loaded. Fails with ErrorCode::environment and the driver's words.
    static Result<std::unique_ptr<TimelineRenderer>> create();
    /// One for another picture, which draws with the programs of this one: linking them, and what a driver does when it
    /// first draws with them, takes a software one 0.3 s.
    virtual std::unique_ptr<TimelineRenderer> create_alike() const = 0;
    virtual ~TimelineRenderer() = default;

    /// Replaces what was there. `colours` is one 0xAABBGGRR per allocation. No argument is kept. Fails with
    /// ErrorCode::environment when the driver cannot hold the mesh; nothing is shown then.
    Status upload(const Timeline& timeline, const Mesh& mesh, std::span<const std::uint32_t> colours) {
        return upload(TimelineTables(timeline, mesh), mesh, colours);
    }
    virtual Status upload(const TimelineTables& tables, const Mesh& mesh, std::span<const std::uint32_t> colours) = 0;
    /// The same without waiting for it: sends the colours, and leaves the rest to continue_upload(). Keeps the timeline and
    /// the mesh until all is sent; nothing can be drawn before.
    Status begin_upload(std::shared_ptr<const Timeline> timeline, std::shared_ptr<const Mesh> mesh,
                        std::span<const std::uint32_t> colours) {
        const TimelineTables tables(*timeline, *mesh);
        return begin_upload(tables, std::move(timeline), std::move(mesh), colours);
    }
    /// With ticks at other places than the timeline's; `owner` keeps what the tables refer to.
    virtual Status begin_upload(const TimelineTables& tables, std::shared_ptr<const void> owner,
                                std::shared_ptr<const Mesh> mesh, std::span<const std::uint32_t> colours) = 0;
    /// Sends for about as long as given. Fails as upload().
    virtual Status continue_upload(std::chrono::microseconds at_most) = 0;
    virtual UploadProgress upload_progress() const = 0;
    /// Begins to send the triangle mesh of the picture that is shown, which continue_upload() sends after the rest. Until
    /// all of it is there, views are drawn from the index. Keeps the mesh until then; a driver that has no memory for it
    /// drops it. Does nothing if no picture is shown. `tables` are those of begin_upload().
    virtual void begin_mesh_upload(const TimelineTables& tables, std::shared_ptr<const TriangleMesh> mesh) = 0;
    virtual bool is_sending_mesh() const = 0;
    /// Colours anew, sending 4 bytes an allocation and no geometry.
    virtual void set_colours(std::span<const std::uint32_t> colours) = 0;
    /// What stands out of the allocations; all others are drawn as greyed() of core/mesh/greyed.h has it. Null: each has its
    /// colour, as after an upload. Sends a bit an allocation. Fails with ErrorCode::environment when the driver has no room
    /// for them; nothing stands out then.
    virtual Status set_standing_out(const Emphasis* emphasis, Ground ground) = 0;
    /// Drops the mesh and its memory.
    virtual void clear() = 0;

    /// Draws the view into the bound framebuffer, filling the viewport (0, 0, width_px, height_px). Draws the background
    /// too. The highlighted allocation (or none()) is drawn brighter. Axis::time without times draws the background alone.
    /// Costs what is in view; allocates nothing.
    virtual void draw(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) = 0;

    /// What is behind the allocations from the next draw() on; dark to begin with.
    virtual void set_background(const glm::vec3& rgb) = 0;
    virtual glm::vec3 background() const = 0;

    virtual RenderStats stats() const = 0;
};

}  // namespace snapviewer
