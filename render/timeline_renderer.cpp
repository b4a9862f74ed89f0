#include "render/timeline_renderer.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <utility>

#include "render/background.h"
#include "render/gl/buffer_texture.h"
#include "render/gl/program.h"
#include "render/gl/upload_queue.h"
#include "render/gl/vertex_array.h"
#include "render/gpu_mesh.h"
#include "render/gpu_stack_index.h"
#include "render/shaders.h"

namespace snapviewer {
namespace {

constexpr std::int32_t k_colour_unit = 5;  // after the units of GpuMesh::bind

/// A centre of the view split for the shader: integers are subtracted from integers, what is left is small.
template <typename Whole>
struct Origin {
    Whole whole = 0;
    float rest = 0;

    Origin(double centre, double largest) {
        const double floor = std::clamp(std::floor(centre), 0.0, largest);
        whole = static_cast<Whole>(floor);
        rest = static_cast<float>(centre - floor);
    }
};

/// More vertices than this are drawn pixel by pixel instead: a software rasterizer takes some 15 ms for them.
constexpr std::uint64_t k_most_near_vertices = 100'000;

struct Uniforms {
    std::int32_t origin_x, origin_y, origin_rest, scale, slide, straight, piece_bits, highlighted, height_px;
};

class GlTimelineRenderer final : public TimelineRenderer {
public:
    GlTimelineRenderer(gl::Program program, StackPainter far_painter);

    using TimelineRenderer::upload;
    Status upload(const TickTable& ticks, const Mesh& mesh, std::span<const std::uint32_t> colours) override;
    Status begin_upload(std::shared_ptr<const Timeline> timeline, std::shared_ptr<const Mesh> mesh,
                        std::span<const std::uint32_t> colours) override;
    Status continue_upload(std::chrono::microseconds at_most) override;
    UploadProgress upload_progress() const override;
    void set_colours(std::span<const std::uint32_t> colours) override;
    void clear() override { shown_.reset(); }
    void draw(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) override;
    void set_drawing(Drawing drawing) override { drawing_ = drawing; }
    RenderStats stats() const override { return stats_; }

private:
    struct Shown {
        GpuMesh mesh;
        std::optional<GpuStackIndex> far;
        gl::BufferTexture colours;
        gl::UploadQueue needed;                    ///< for any picture
        gl::UploadQueue triangles;                 ///< for near ones; with an index the others do without
        std::shared_ptr<const Timeline> timeline;  ///< what the queues send from, while they do
        std::shared_ptr<const Mesh> source;

        bool has_triangles() const { return triangles.waiting() == 0; }
        bool can_draw() const { return needed.waiting() == 0 && (far || has_triangles()); }
    };

    Status fill(Shown& shown, const TickTable& ticks, const Mesh& mesh, std::span<const std::uint32_t> colours);
    void set_view(const View& view, Axis axis, int height_px, AllocationId highlighted) const;
    void finish_drawing(std::uint64_t vertices, std::uint64_t draw_calls);

    gl::Program program_;
    StackPainter far_painter_;
    gl::VertexArray vertex_array_;
    Uniforms uniforms_;
    std::optional<Shown> shown_;
    Drawing drawing_ = Drawing::automatic;
    RenderStats stats_;
};

GlTimelineRenderer::GlTimelineRenderer(gl::Program program, StackPainter far_painter)
    : program_(std::move(program)),
      far_painter_(std::move(far_painter)),
      uniforms_{program_.uniform("origin_x"),   program_.uniform("origin_y"),    program_.uniform("origin_rest"),
                program_.uniform("scale"),      program_.uniform("slide"),       program_.uniform("straight"),
                program_.uniform("piece_bits"), program_.uniform("highlighted"), program_.uniform("height_px")} {
    program_.use();
    const char* const tables[] = {"records", "groups", "pieces", "ticks", "heights", "colours"};
    for (GLint unit = 0; unit <= k_colour_unit; ++unit) glUniform1i(program_.uniform(tables[unit]), unit);
    glUseProgram(0);
}

Status GlTimelineRenderer::upload(const TickTable& ticks, const Mesh& mesh, std::span<const std::uint32_t> colours) {
    shown_.emplace();
    const Status status = fill(*shown_, ticks, mesh, colours);
    if (!status) {
        shown_.reset();
        return status;
    }
    Status sent;
    while (sent && !upload_progress().is_done()) sent = continue_upload(std::chrono::seconds(1));
    return sent;
}

Status GlTimelineRenderer::begin_upload(std::shared_ptr<const Timeline> timeline, std::shared_ptr<const Mesh> mesh,
                                        std::span<const std::uint32_t> colours) {
    shown_.emplace();
    const Status status = fill(*shown_, {timeline->tick_steps(), timeline->tick_times_us()}, *mesh, colours);
    if (!status) {
        shown_.reset();
        return status;
    }
    shown_->timeline = std::move(timeline);
    shown_->source = std::move(mesh);
    return {};
}

/// The queues point into `shown`, which must not move from now on.
Status GlTimelineRenderer::fill(Shown& shown, const TickTable& ticks, const Mesh& mesh,
                                std::span<const std::uint32_t> colours) {
    assert(colours.size() == mesh.heights.size());
    Status status = shown.mesh.upload(ticks, mesh, shown.needed, shown.triangles);
    if (status) status = shown.colours.upload("colours", colours.data(), colours.size(), gl::Texel::one_uint);
    if (status && mesh.far) status = shown.far.emplace().upload(*mesh.far, shown.needed);
    if (status) stats_.uploaded_bytes += shown.colours.size_bytes();
    return status;
}

Status GlTimelineRenderer::continue_upload(std::chrono::microseconds at_most) {
    if (!shown_) return {};
    gl::UploadQueue& queue = shown_->needed.waiting() > 0 ? shown_->needed : shown_->triangles;
    const std::uint64_t sent_before = queue.sent_bytes();
    const Status status = queue.send(at_most);
    if (!status) {
        shown_.reset();
        return status;
    }
    stats_.uploaded_bytes += queue.sent_bytes() - sent_before;
    if (upload_progress().is_done()) {
        shown_->timeline.reset();
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

void GlTimelineRenderer::set_view(const View& view, Axis axis, int height_px, AllocationId highlighted) const {
    const GpuMesh& mesh = shown_->mesh;
    const double units = 1.0 / mesh.unit_bytes();
    const Origin<std::uint64_t> x(view.x_begin + view.width() / 2, 0x1p62);
    const Origin<std::uint32_t> y((view.y_begin + view.height() / 2) * units, 0x1p32 - 1);
    glUniform2ui(uniforms_.origin_x, static_cast<GLuint>(x.whole), static_cast<GLuint>(x.whole >> 32));
    glUniform1ui(uniforms_.origin_y, y.whole);
    glUniform2f(uniforms_.origin_rest, x.rest, y.rest);
    glUniform2f(uniforms_.scale, static_cast<float>(2.0 / view.width()), static_cast<float>(2.0 / (view.height() * units)));
    glUniform1f(uniforms_.slide, static_cast<float>(mesh.slide(axis)));
    glUniform1i(uniforms_.straight, mesh.straight() ? 1 : 0);
    glUniform1ui(uniforms_.piece_bits, mesh.piece_bits());
    glUniform1ui(uniforms_.highlighted, highlighted.value);
    glUniform1f(uniforms_.height_px, static_cast<float>(height_px));
}

void GlTimelineRenderer::draw(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) {
    glViewport(0, 0, width_px, height_px);
    glScissor(0, 0, width_px, height_px);
    glEnable(GL_SCISSOR_TEST);
    glClearColor(k_background[0], k_background[1], k_background[2], 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    stats_.drawn_vertices = 0;
    stats_.draw_calls = 0;
    if (!shown_ || !shown_->can_draw() || !shown_->mesh.has(axis)) return;
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    vertex_array_.bind();
    const bool flat = drawing_ == Drawing::flat_mesh;
    const VertexRanges& ranges = flat ? shown_->mesh.select_all() : shown_->mesh.select(view, axis);
    const bool ticks_are_wide = axis == Axis::steps && view.width() <= width_px;
    if (shown_->far && !flat &&
        (!ticks_are_wide || ranges.total > k_most_near_vertices || shown_->mesh.is_empty() || !shown_->has_triangles())) {
        far_painter_.paint({*shown_->far, shown_->mesh.ticks(axis), shown_->colours, shown_->mesh.slide(axis), view,
                            width_px, height_px, highlighted});
        finish_drawing(9, 3);
        return;
    }
    if (ranges.first.empty()) {
        finish_drawing(0, 0);
        return;
    }
    program_.use();
    set_view(view, axis, height_px, highlighted);
    shown_->mesh.bind(axis);
    shown_->colours.bind(k_colour_unit);
    glMultiDrawArrays(GL_TRIANGLE_STRIP, ranges.first.data(), ranges.count.data(),
                      static_cast<GLsizei>(ranges.first.size()));
    finish_drawing(ranges.total, 1);
}

void GlTimelineRenderer::finish_drawing(std::uint64_t vertices, std::uint64_t draw_calls) {
    glBindVertexArray(0);
    glUseProgram(0);
    glActiveTexture(GL_TEXTURE0);
    stats_.drawn_vertices = vertices;
    stats_.draw_calls = draw_calls;
}

}  // namespace

Result<std::unique_ptr<TimelineRenderer>> TimelineRenderer::create() {
    if (!GLAD_GL_VERSION_4_1) {
        return Error{ErrorCode::environment,
                     "OpenGL 4.1 is needed, the graphics driver offers less; a newer driver or Mesa's "
                     "software rasterizer (Debian and Ubuntu: libgl1-mesa-dri) will do"};
    }
    auto program = gl::Program::link(shaders::timeline_vert, shaders::timeline_frag);
    if (!program) return program.error();
    auto far_painter = StackPainter::create();
    if (!far_painter) return far_painter.error();
    return std::unique_ptr<TimelineRenderer>(
        std::make_unique<GlTimelineRenderer>(std::move(program).value(), std::move(far_painter).value()));
}

}  // namespace snapviewer
