#include "render/timeline_renderer.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <optional>
#include <utility>

#include "render/gl/objects.h"
#include "render/gl/program.h"
#include "render/gl/table.h"
#include "render/painters.h"

namespace snapviewer {
namespace {

static_assert(std::endian::native == std::endian::little, "tables of 64-bit numbers are sent as they lie in memory");

/// A picture whose upload to the GPU is complete or in progress.
struct ShownPicture {
    std::optional<GpuStackIndex> index;
    std::optional<GpuMesh> mesh;
    gl::Table steps, times, sizes, colours, standing_out;
    std::uint32_t darkest_grey = 0;
    double slide_steps = 0;
    bool has_times = false;
    gl::UploadQueue queue;
    std::shared_ptr<const void> owner;  ///< owner of the memory from which `queue` sends, during the upload
    std::shared_ptr<const Mesh> source;
    gl::UploadQueue mesh_queue;  ///< tables of `mesh`, if it is sent after the index
    std::shared_ptr<const TriangleMesh> mesh_source;

    bool can_draw() const { return queue.waiting() == 0; }
    bool has_mesh() const { return mesh && mesh_queue.waiting() == 0; }
    bool has(Axis axis) const { return axis == Axis::steps || has_times; }
};

struct Painters {
    MeshPainter mesh;
    StackPainter stack;
    bool is_software = false;
};

class GlTimelineRenderer final : public TimelineRenderer {
public:
    explicit GlTimelineRenderer(std::shared_ptr<Painters> painters) : painters_(std::move(painters)) {}

    std::unique_ptr<TimelineRenderer> create_alike() const override {
        return std::make_unique<GlTimelineRenderer>(painters_);
    }

    using TimelineRenderer::upload;
    Status upload(const TimelineTables& tables, const Mesh& mesh, std::span<const std::uint32_t> colours) override;
    using TimelineRenderer::begin_upload;
    Status begin_upload(const TimelineTables& tables, std::shared_ptr<const void> owner, std::shared_ptr<const Mesh> mesh,
                        std::span<const std::uint32_t> colours) override;
    Status continue_upload(std::chrono::microseconds at_most) override;
    UploadProgress upload_progress() const override;
    void begin_mesh_upload(const TimelineTables& tables, std::shared_ptr<const TriangleMesh> mesh) override;
    bool is_sending_mesh() const override { return shown_ && shown_->mesh_queue.waiting() > 0; }
    void set_colours(std::span<const std::uint32_t> colours) override;
    Status set_standing_out(const Emphasis* emphasis, Ground ground) override;
    void clear() override { shown_.reset(); }
    void draw(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) override;
    void set_background(const glm::vec3& rgb) override { background_ = rgb; }
    glm::vec3 background() const override { return background_; }
    RenderStats stats() const override;

private:
    Status fill(ShownPicture& shown, const TimelineTables& tables, const Mesh& mesh, std::span<const std::uint32_t> colours);
    Scene scene_of(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) const;
    void paint(const Scene& scene, Axis axis);
    void continue_mesh_upload(std::chrono::microseconds at_most);
    void drop_mesh();

    std::shared_ptr<Painters> painters_;
    gl::VertexArray vertex_array_;
    std::optional<ShownPicture> shown_;
    glm::vec3 background_ = k_background;
    RenderStats stats_;
};

Status GlTimelineRenderer::upload(const TimelineTables& tables, const Mesh& mesh, std::span<const std::uint32_t> colours) {
    shown_.emplace();
    Status status = fill(*shown_, tables, mesh, colours);
    if (!status) {
        shown_.reset();
        return status;
    }
    Status sent;
    while (sent && !upload_progress().is_done()) sent = continue_upload(std::chrono::seconds(1));
    return sent;
}

Status GlTimelineRenderer::begin_upload(const TimelineTables& tables, std::shared_ptr<const void> owner,
                                        std::shared_ptr<const Mesh> mesh, std::span<const std::uint32_t> colours) {
    shown_.emplace();
    Status status = fill(*shown_, tables, *mesh, colours);
    if (!status) {
        shown_.reset();
        return status;
    }
    shown_->owner = std::move(owner);
    shown_->source = std::move(mesh);
    return {};
}

/// Fills `shown`, which must not move afterwards, because its queue points into it.
Status GlTimelineRenderer::fill(ShownPicture& shown, const TimelineTables& tables, const Mesh& mesh,
                                std::span<const std::uint32_t> colours) {
    assert(colours.size() == tables.sizes_bytes.size());
    ++stats_.uploads;
    Status status;
    const auto add = [&](gl::Table& table, const char* what, const auto& data) {
        if (status) status = shown.queue.add(table, what, data.data(), data.size(), gl::Texel::two_uints);
    };
    add(shown.steps, "steps", tables.steps);
    add(shown.times, "times", tables.times_us);
    add(shown.sizes, "sizes", tables.sizes_bytes);
    if (status) {
        status = mesh.index ? shown.index.emplace().upload(*mesh.index, shown.queue)
                            : shown.mesh.emplace().upload(tables, mesh.triangles, shown.queue);
    }
    if (status) status = shown.colours.upload("colours", colours.data(), colours.size(), gl::Texel::one_uint);
    if (status) stats_.uploaded_bytes += shown.colours.size_bytes();
    if (mesh.index) shown.slide_steps = static_cast<double>(Timeline::k_slide_steps);
    shown.has_times = !tables.times_us.empty();
    return status;
}

Status GlTimelineRenderer::continue_upload(std::chrono::microseconds at_most) {
    if (!shown_) return {};
    if (upload_progress().is_done()) {
        continue_mesh_upload(at_most);
        return {};
    }
    gl::UploadQueue& queue = shown_->queue;
    const std::uint64_t sent_before = queue.sent_bytes();
    Status status = queue.send(at_most);
    if (!status) {
        shown_.reset();
        return status;
    }
    stats_.uploaded_bytes += queue.sent_bytes() - sent_before;
    if (upload_progress().is_done()) {
        shown_->owner.reset();
        shown_->source.reset();
    }
    return {};
}

void GlTimelineRenderer::begin_mesh_upload(const TimelineTables& tables, std::shared_ptr<const TriangleMesh> mesh) {
    if (!shown_ || !shown_->index) return;
    shown_->mesh_queue = {};
    shown_->mesh_source = std::move(mesh);
    if (!shown_->mesh.emplace().upload(tables, *shown_->mesh_source, shown_->mesh_queue)) drop_mesh();
}

void GlTimelineRenderer::continue_mesh_upload(std::chrono::microseconds at_most) {
    gl::UploadQueue& queue = shown_->mesh_queue;
    if (queue.waiting() == 0) return;
    const std::uint64_t sent_before = queue.sent_bytes();
    const Status status = queue.send(at_most);
    stats_.uploaded_bytes += queue.sent_bytes() - sent_before;
    if (!status)
        drop_mesh();
    else if (queue.waiting() == 0)
        shown_->mesh_source.reset();
}

/// Removes a mesh for which the driver has no memory. All views are then drawn from the index.
void GlTimelineRenderer::drop_mesh() {
    shown_->mesh.reset();
    shown_->mesh_queue = {};
    shown_->mesh_source.reset();
}

RenderStats GlTimelineRenderer::stats() const {
    RenderStats stats = stats_;
    if (shown_ && shown_->can_draw() && shown_->has_mesh()) {
        stats.mesh_records = shown_->mesh->record_count();
        stats.mesh_bytes = shown_->mesh->memory_bytes();
    }
    return stats;
}

UploadProgress GlTimelineRenderer::upload_progress() const {
    if (!shown_) return {};
    return {shown_->queue.sent_bytes(), shown_->queue.total_bytes()};
}

void GlTimelineRenderer::set_colours(std::span<const std::uint32_t> colours) {
    if (!shown_) return;
    assert(colours.size_bytes() == shown_->colours.size_bytes());
    shown_->colours.update(0, colours.data(), colours.size_bytes());
    stats_.uploaded_bytes += shown_->colours.size_bytes();
}

Status GlTimelineRenderer::set_standing_out(const Emphasis* emphasis, Ground ground) {
    if (!shown_) return {};
    shown_->darkest_grey = 0;
    if (emphasis == nullptr || emphasis->allocation_count() == 0) {
        shown_->standing_out = {};
        return {};
    }
    const std::span<const std::uint32_t> words = emphasis->words();
    assert(emphasis->allocation_count() == shown_->colours.count());
    gl::Table& table = shown_->standing_out;
    if (table.count() == words.size())
        table.update(0, words.data(), words.size_bytes());
    else if (Status sent = table.upload("what stands out", words.data(), words.size(), gl::Texel::one_uint); !sent)
        return sent;
    stats_.uploaded_bytes += words.size_bytes();
    shown_->darkest_grey = darkest_grey(ground);
    return {};
}

Scene GlTimelineRenderer::scene_of(const View& view, Axis axis, int width_px, int height_px,
                                   AllocationId highlighted) const {
    const bool is_steps = axis == Axis::steps;
    return {.ticks = is_steps ? shown_->steps : shown_->times,
            .sizes = shown_->sizes,
            .colours = shown_->colours,
            .standing_out = shown_->darkest_grey != 0 ? shown_->standing_out : shown_->colours,
            .darkest_grey = shown_->darkest_grey,
            .slide = is_steps ? shown_->slide_steps : 0.0,
            .view = view,
            .size_px = {width_px, height_px},
            // Each tick takes at least one step, but any number of ticks may have the same time.
            .ticks_are_wide = is_steps && view.width() <= width_px,
            .highlighted = highlighted,
            .background = background_};
}

void GlTimelineRenderer::draw(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) {
    glViewport(0, 0, width_px, height_px);
    glScissor(0, 0, width_px, height_px);
    glEnable(GL_SCISSOR_TEST);
    glClearColor(background_.r, background_.g, background_.b, 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    stats_.drawn_vertices = 0;
    stats_.draw_calls = 0;
    stats_.drawn_from = DrawnFrom::nothing;
    if (!shown_ || !shown_->can_draw() || !shown_->has(axis)) return;
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    vertex_array_.bind();
    paint(scene_of(view, axis, width_px, height_px, highlighted), axis);
    glBindVertexArray(0);
    glUseProgram(0);
    glActiveTexture(GL_TEXTURE0);
}

void GlTimelineRenderer::paint(const Scene& scene, Axis axis) {
    const glm::dvec2 size_px(scene.size_px);
    DrawingChoice choice{.has_index = shown_->index.has_value(),
                         .has_mesh = shown_->has_mesh(),
                         .is_software = painters_->is_software,
                         .axis = axis,
                         .pixels_per_step = size_px.x / scene.view.width(),
                         .bytes_per_row = scene.view.height() / size_px.y};
    const VertexRanges* ranges = nullptr;
    if (choice.has_mesh) {
        ranges = &shown_->mesh->select(scene.view);
        choice.mesh_unit_bytes = shown_->mesh->unit_bytes();
        choice.mesh_records = ranges->records();
    }
    stats_.drawn_from = choose_drawing(choice);
    if (stats_.drawn_from == DrawnFrom::index) {
        painters_->stack.paint(*shown_->index, scene);
        stats_.drawn_vertices = 9;
        stats_.draw_calls = 3;
    } else if (stats_.drawn_from == DrawnFrom::mesh && ranges->total > 0) {
        painters_->mesh.paint(*shown_->mesh, *ranges, scene);
        stats_.drawn_vertices = ranges->total;
        stats_.draw_calls = 1;
    }
}

}  // namespace

const char* drawn_from_name(DrawnFrom from) {
    constexpr std::array<const char*, 3> k_names = {"nothing", "index", "mesh"};
    return k_names[static_cast<std::size_t>(from)];
}

DrawnFrom choose_drawing(const DrawingChoice& choice) {
    // A software rasterizer draws some 40,000 quads per frame.
    constexpr std::uint64_t k_max_software_records = 30'000, k_max_gpu_records = 4'000'000;
    if (!choice.has_index) return choice.has_mesh ? DrawnFrom::mesh : DrawnFrom::nothing;
    const bool is_near = choice.axis == Axis::steps && choice.pixels_per_step >= 1;
    const bool is_exact = choice.mesh_unit_bytes <= std::max(1.0, choice.bytes_per_row);
    const bool is_cheap = choice.mesh_records <= (choice.is_software ? k_max_software_records : k_max_gpu_records);
    return choice.has_mesh && is_near && is_exact && is_cheap ? DrawnFrom::mesh : DrawnFrom::index;
}

Result<std::unique_ptr<TimelineRenderer>> TimelineRenderer::create() {
    if (!GLAD_GL_VERSION_4_1 && !gl::is_embedded_driver()) {
        return Error{ErrorCode::environment,
                     "OpenGL 4.1 is needed, but the graphics driver offers less; install a newer driver or Mesa's software "
                     "rasterizer (Debian and Ubuntu: libgl1-mesa-dri)"};
    }
    auto mesh_painter = MeshPainter::create();
    if (!mesh_painter) return mesh_painter.error();
    auto stack_painter = StackPainter::create();
    if (!stack_painter) return stack_painter.error();
    return std::unique_ptr<TimelineRenderer>(std::make_unique<GlTimelineRenderer>(std::make_shared<Painters>(
        Painters{std::move(mesh_painter).value(), std::move(stack_painter).value(), is_software_driver()})));
}

}  // namespace snapviewer
