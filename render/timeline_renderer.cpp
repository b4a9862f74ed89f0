#include "render/timeline_renderer.h"

#include <glad/gl.h>

#include <bit>
#include <cassert>
#include <optional>
#include <utility>

#include "render/background.h"
#include "render/gl/program.h"
#include "render/gl/table.h"
#include "render/gl/upload_queue.h"
#include "render/gl/vertex_array.h"
#include "render/mesh_painter.h"
#include "render/stack_painter.h"

namespace snapviewer {
namespace {

static_assert(std::endian::native == std::endian::little, "tables of 64-bit numbers are sent as they lie in memory");

/// A picture that is drawn, or on its way to the graphics card.
struct ShownPicture {
    GpuMesh mesh;
    std::optional<GpuStackIndex> index;
    gl::Table steps, times, sizes, colours;
    double slide_steps = 0;
    bool has_times = false;
    gl::UploadQueue needed;             ///< for any picture
    gl::UploadQueue triangles;          ///< for those from the mesh; with an index the others do without
    std::shared_ptr<const void> owner;  ///< of what the queues send from, while they do
    std::shared_ptr<const Mesh> source;

    bool has_triangles() const { return triangles.waiting() == 0 && !mesh.is_empty(); }
    bool can_draw() const { return needed.waiting() == 0 && (index || triangles.waiting() == 0); }
    bool has(Axis axis) const { return axis == Axis::steps || has_times; }
};

class GlTimelineRenderer final : public TimelineRenderer {
public:
    GlTimelineRenderer(MeshPainter mesh_painter, StackPainter stack_painter)
        : mesh_painter_(std::move(mesh_painter)), stack_painter_(std::move(stack_painter)) {}

    using TimelineRenderer::upload;
    Status upload(const TimelineTables& tables, const Mesh& mesh, std::span<const std::uint32_t> colours) override;
    using TimelineRenderer::begin_upload;
    Status begin_upload(const TimelineTables& tables, std::shared_ptr<const void> owner, std::shared_ptr<const Mesh> mesh,
                        std::span<const std::uint32_t> colours) override;
    Status continue_upload(std::chrono::microseconds at_most) override;
    UploadProgress upload_progress() const override;
    void set_colours(std::span<const std::uint32_t> colours) override;
    void clear() override { shown_.reset(); }
    void draw(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) override;
    void set_background(const glm::vec3& rgb) override { background_ = rgb; }
    glm::vec3 background() const override { return background_; }
    void set_drawing(Drawing drawing) override { drawing_ = drawing; }
    Drawing drawing() const override { return drawing_; }
    RenderStats stats() const override { return stats_; }

private:
    Status fill(ShownPicture& shown, const TimelineTables& tables, const Mesh& mesh, std::span<const std::uint32_t> colours);
    Scene scene_of(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) const;
    void paint(const Scene& scene, Axis axis);
    const DrawingSpeed& speed();

    MeshPainter mesh_painter_;
    StackPainter stack_painter_;
    gl::VertexArray vertex_array_;
    std::optional<ShownPicture> shown_;
    glm::vec3 background_ = k_background;
    Drawing drawing_ = Drawing::automatic;
    std::optional<DrawingSpeed> speed_;
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

/// The queues point into `shown`, which must not move from now on.
Status GlTimelineRenderer::fill(ShownPicture& shown, const TimelineTables& tables, const Mesh& mesh,
                                std::span<const std::uint32_t> colours) {
    assert(colours.size() == tables.sizes_bytes.size());
    ++stats_.uploads;
    Status status;
    const auto add = [&](gl::Table& table, const char* what, const auto& data) {
        if (status) status = shown.needed.add(table, what, data.data(), data.size(), gl::Texel::two_uints);
    };
    add(shown.steps, "steps", tables.steps);
    add(shown.times, "times", tables.times_us);
    add(shown.sizes, "sizes", tables.sizes_bytes);
    if (status && mesh.far) status = shown.index.emplace().upload(*mesh.far, shown.needed);
    if (status) status = shown.mesh.upload(tables, mesh, shown.triangles);
    if (status) status = shown.colours.upload("colours", colours.data(), colours.size(), gl::Texel::one_uint);
    if (status) stats_.uploaded_bytes += shown.colours.size_bytes();
    shown.slide_steps = slide_length(mesh, Axis::steps);
    shown.has_times = !tables.times_us.empty();
    return status;
}

Status GlTimelineRenderer::continue_upload(std::chrono::microseconds at_most) {
    if (!shown_) return {};
    gl::UploadQueue& queue = shown_->needed.waiting() > 0 ? shown_->needed : shown_->triangles;
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

UploadProgress GlTimelineRenderer::upload_progress() const {
    if (!shown_) return {};
    return {shown_->needed.sent_bytes() + shown_->triangles.sent_bytes(),
            shown_->needed.total_bytes() + shown_->triangles.total_bytes(), shown_->can_draw()};
}

void GlTimelineRenderer::set_colours(std::span<const std::uint32_t> colours) {
    if (!shown_) return;
    assert(colours.size_bytes() == shown_->colours.size_bytes());
    shown_->colours.update(0, colours.data(), colours.size_bytes());
    stats_.uploaded_bytes += shown_->colours.size_bytes();
}

const DrawingSpeed& GlTimelineRenderer::speed() {
    if (!speed_) speed_ = measure_drawing_speed(mesh_painter_, stack_painter_);
    return *speed_;
}

Scene GlTimelineRenderer::scene_of(const View& view, Axis axis, int width_px, int height_px,
                                   AllocationId highlighted) const {
    const bool is_steps = axis == Axis::steps;
    return {.ticks = is_steps ? shown_->steps : shown_->times,
            .sizes = shown_->sizes,
            .colours = shown_->colours,
            .slide = is_steps ? shown_->slide_steps : 0.0,
            .view = view,
            .size_px = {width_px, height_px},
            // Every tick takes a step at least, while any number of them may come at the same time.
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
    const VertexRanges& ranges = shown_->mesh.select(scene.view, axis);
    const DrawingChoice choice{
        .has_mesh = shown_->has_triangles(),
        .has_index = shown_->index.has_value(),
        .ticks_are_wide = scene.ticks_are_wide,
        .mesh_vertices = ranges.total,
        .pixels = static_cast<std::uint64_t>(scene.size_px.x) * static_cast<std::uint64_t>(scene.size_px.y)};
    if (draws_from_mesh(drawing_, choice, [this] { return speed(); })) {
        if (ranges.first.empty()) return;
        mesh_painter_.paint(shown_->mesh, ranges, scene);
        stats_.drawn_vertices = ranges.total;
        stats_.draw_calls = 1;
    } else if (shown_->index) {
        stack_painter_.paint(*shown_->index, scene);
        stats_.drawn_vertices = 9;
        stats_.draw_calls = 3;
    }
}

}  // namespace

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
    return std::unique_ptr<TimelineRenderer>(
        std::make_unique<GlTimelineRenderer>(std::move(mesh_painter).value(), std::move(stack_painter).value()));
}

}  // namespace snapviewer
