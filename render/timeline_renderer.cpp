#include "render/timeline_renderer.h"

#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <optional>

#include "render/gl/program.h"
#include "render/gl/table.h"
#include "render/painters.h"

namespace snapviewer::render {

static_assert(std::endian::native == std::endian::little, "tables of 64-bit numbers are sent as they lie in memory");

struct TimelineRenderer::Painters {
    MeshPainter mesh;
    StackPainter stack;
    bool is_software = false;
};

/// The queues point into the picture, so it must not move.
struct TimelineRenderer::Picture {
    std::optional<GpuStackIndex> index;
    std::optional<GpuMesh> mesh;
    gl::Table steps, times, sizes, colours, highlight_bits;
    std::uint32_t darkest_grey = 0;
    double slide_steps = 0;
    bool has_times = false;
    gl::UploadQueue queue;
    std::shared_ptr<const void> owner;  ///< owner of the memory from which `queue` sends, during the upload
    std::shared_ptr<const mesh::Mesh> source;
    gl::UploadQueue mesh_queue;  ///< tables of `mesh`, if it is sent after the index
    std::shared_ptr<const mesh::TriangleMesh> mesh_source;

    bool has_mesh() const { return mesh && mesh_queue.waiting() == 0; }
    /// Removes a mesh for which the driver has no memory. All views are then drawn from the index.
    void drop_mesh() {
        mesh.reset();
        mesh_queue = {};
        mesh_source.reset();
    }
};

TimelineRenderer::TimelineRenderer(std::shared_ptr<Painters> painters) : painters_(std::move(painters)) {}
TimelineRenderer::~TimelineRenderer() = default;

std::unique_ptr<TimelineRenderer> TimelineRenderer::create_with_same_programs() const {
    return std::unique_ptr<TimelineRenderer>(new TimelineRenderer(painters_));
}

Status TimelineRenderer::upload(const TimelineTables& tables, const mesh::Mesh& mesh,
                                std::span<const std::uint32_t> colours) {
    const std::shared_ptr<const mesh::Mesh> borrowed(std::shared_ptr<const mesh::Mesh>(), &mesh);
    Status status = begin_upload(tables, nullptr, borrowed, colours);
    while (status && !upload_progress().is_done()) status = continue_upload(std::chrono::seconds(1));
    return status;
}

Status TimelineRenderer::begin_upload(const TimelineTables& tables, std::shared_ptr<const void> owner,
                                      std::shared_ptr<const mesh::Mesh> mesh, std::span<const std::uint32_t> colours) {
    assert(colours.size() == tables.sizes_bytes.size());
    shown_ = std::make_unique<Picture>();
    ++stats_.uploads;
    Status status;
    const auto add = [&](gl::Table& table, const char* what, const auto& data) {
        if (status) status = shown_->queue.add(table, what, data.data(), data.size(), gl::Texel::two_uints);
    };
    add(shown_->steps, "steps", tables.steps);
    add(shown_->times, "times", tables.times_us);
    add(shown_->sizes, "sizes", tables.sizes_bytes);
    if (status) {
        status = mesh->index ? shown_->index.emplace().upload(*mesh->index, shown_->queue)
                             : shown_->mesh.emplace().upload(tables, mesh->triangles, shown_->queue);
    }
    if (status) status = shown_->colours.upload("colours", colours.data(), colours.size(), gl::Texel::one_uint);
    if (!status) {
        shown_.reset();
        return status;
    }
    stats_.uploaded_bytes += shown_->colours.size_bytes();
    if (mesh->index) shown_->slide_steps = static_cast<double>(Timeline::k_slide_steps);
    shown_->has_times = !tables.times_us.empty();
    shown_->owner = std::move(owner);
    shown_->source = std::move(mesh);
    return {};
}

Status TimelineRenderer::send(gl::UploadQueue& queue, std::chrono::microseconds at_most) {
    const std::uint64_t sent_before = queue.sent_bytes();
    Status status = queue.send(at_most);
    stats_.uploaded_bytes += queue.sent_bytes() - sent_before;
    return status;
}

Status TimelineRenderer::continue_upload(std::chrono::microseconds at_most) {
    if (!shown_) return {};
    if (upload_progress().is_done()) {
        continue_mesh_upload(at_most);
        return {};
    }
    Status status = send(shown_->queue, at_most);
    if (!status) {
        shown_.reset();
    } else if (upload_progress().is_done()) {
        shown_->owner.reset();
        shown_->source.reset();
    }
    return status;
}

void TimelineRenderer::begin_mesh_upload(const TimelineTables& tables, std::shared_ptr<const mesh::TriangleMesh> mesh) {
    if (!shown_ || !shown_->index) return;
    shown_->mesh_queue = {};
    shown_->mesh_source = std::move(mesh);
    if (!shown_->mesh.emplace().upload(tables, *shown_->mesh_source, shown_->mesh_queue)) shown_->drop_mesh();
}

void TimelineRenderer::continue_mesh_upload(std::chrono::microseconds at_most) {
    if (!is_sending_mesh()) return;
    if (!send(shown_->mesh_queue, at_most))
        shown_->drop_mesh();
    else if (!is_sending_mesh())
        shown_->mesh_source.reset();
}

bool TimelineRenderer::is_sending_mesh() const { return shown_ && shown_->mesh_queue.waiting() > 0; }

void TimelineRenderer::clear() { shown_.reset(); }

RenderStats TimelineRenderer::stats() const {
    RenderStats stats = stats_;
    if (shown_ && shown_->queue.waiting() == 0 && shown_->has_mesh()) {
        stats.mesh_records = shown_->mesh->record_count();
        stats.mesh_bytes = shown_->mesh->memory_bytes();
    }
    return stats;
}

UploadProgress TimelineRenderer::upload_progress() const {
    if (!shown_) return {};
    return {shown_->queue.sent_bytes(), shown_->queue.total_bytes()};
}

void TimelineRenderer::set_colours(std::span<const std::uint32_t> colours) {
    if (!shown_) return;
    assert(colours.size_bytes() == shown_->colours.size_bytes());
    shown_->colours.update(0, colours.data(), colours.size_bytes());
    stats_.uploaded_bytes += shown_->colours.size_bytes();
}

Status TimelineRenderer::set_highlight(const Emphasis* emphasis, mesh::ThemeVariant theme) {
    if (!shown_) return {};
    shown_->darkest_grey = 0;
    if (emphasis == nullptr || emphasis->allocation_count() == 0) {
        shown_->highlight_bits = {};
        return {};
    }
    const std::span<const std::uint32_t> words = emphasis->words();
    assert(emphasis->allocation_count() == shown_->colours.count());
    gl::Table& table = shown_->highlight_bits;
    if (table.count() == words.size())
        table.update(0, words.data(), words.size_bytes());
    else if (Status sent = table.upload("what stands out", words.data(), words.size(), gl::Texel::one_uint); !sent)
        return sent;
    stats_.uploaded_bytes += words.size_bytes();
    shown_->darkest_grey = mesh::darkest_grey(theme);
    return {};
}

void TimelineRenderer::draw(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) {
    glViewport(0, 0, width_px, height_px);
    glScissor(0, 0, width_px, height_px);
    glEnable(GL_SCISSOR_TEST);
    glClearColor(background_.r, background_.g, background_.b, 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    stats_.drawn_vertices = 0;
    stats_.draw_calls = 0;
    stats_.drawn_from = DrawnFrom::nothing;
    const bool is_steps = axis == Axis::steps;
    if (!shown_ || shown_->queue.waiting() > 0 || !(is_steps || shown_->has_times)) return;
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    vertex_array_.bind();
    paint({.ticks = is_steps ? shown_->steps : shown_->times,
           .sizes = shown_->sizes,
           .colours = shown_->colours,
           .highlight_bits = shown_->darkest_grey != 0 ? shown_->highlight_bits : shown_->colours,
           .darkest_grey = shown_->darkest_grey,
           .slide = is_steps ? shown_->slide_steps : 0.0,
           .view = view,
           .size_px = {width_px, height_px},
           // Each tick takes at least one step, but any number of ticks may have the same time.
           .ticks_are_wide = is_steps && view.width() <= width_px,
           .highlighted = highlighted,
           .background = background_},
          axis);
    glBindVertexArray(0);
    glUseProgram(0);
    glActiveTexture(GL_TEXTURE0);
}

void TimelineRenderer::paint(const Scene& scene, Axis axis) {
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
    return std::unique_ptr<TimelineRenderer>(new TimelineRenderer(std::make_shared<Painters>(
        Painters{std::move(mesh_painter).value(), std::move(stack_painter).value(), is_software_driver()})));
}

}  // namespace snapviewer::render
