#include "render/timeline_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/mesh/gpu_format.h"
#include "core/timeline/collect.h"
#include "core/trace/snapshot.h"
#include "render/gl/objects.h"
#include "render/gl/program.h"

namespace snapviewer::render {
namespace {

/// Maximum number of pixels of a moving picture. A software rasterizer on two cores draws them in some 10 ms.
constexpr double k_moving_pixels = 350'000;
/// Time after the last movement when a picture is drawn in full resolution.
constexpr auto k_settle_time = std::chrono::milliseconds(120);
/// Time after the last update() when a picture counts as hidden.
constexpr auto k_hidden_after = std::chrono::seconds(1);

/// Numbers of allocations of the sample pictures. Every table of the index, and of the mesh, has at least 256 bytes and no
/// size is a power of two, as for nearly all files, because Mesa compiles a program again for other sizes. The smallest
/// table of the mesh has one entry per 256 records.
constexpr std::size_t k_sample_allocations = 300;
constexpr std::size_t k_mesh_sample_allocations = 4'500;

std::shared_ptr<const Snapshot> make_sample_allocations(std::size_t count) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->streams.push_back(0);
    DeviceTrace& trace = snapshot->devices.emplace_back();
    for (std::uint64_t address = 0; address < count; ++address)
        trace.events.push({.action = Action::alloc, .address = address, .size_bytes = 1});
    collect_allocations(*snapshot, trace);
    return snapshot;
}

}  // namespace

bool TimelineCanvas::DrawnState::has_moved_from(const DrawnState& before) const {
    DrawnState moved = before;
    moved.view = view;
    moved.highlighted = highlighted;
    return view != before.view && *this == moved;
}

const OffscreenFramebuffer* TimelineCanvas::Target::of_size(int width_px, int height_px) {
    if (!pixels || pixels->width_px() != width_px || pixels->height_px() != height_px) {
        auto made = OffscreenFramebuffer::create(width_px, height_px);
        pixels.reset();
        error = made ? "" : made.error().message;
        if (made) pixels = std::move(made).value();
    }
    return pixels ? &*pixels : nullptr;
}

Result<std::unique_ptr<TimelineCanvas>> TimelineCanvas::create(MovingPixels moving) {
    auto renderer = TimelineRenderer::create();
    if (!renderer) return renderer.error();
    if (!is_software_driver()) moving = MovingPixels::all;
    return std::unique_ptr<TimelineCanvas>(
        new TimelineCanvas(std::make_shared<Source>(Source{std::move(renderer).value(), moving})));
}

std::unique_ptr<TimelineCanvas> TimelineCanvas::create_with_same_renderer() const {
    return std::unique_ptr<TimelineCanvas>(new TimelineCanvas(source_));
}

std::unique_ptr<TimelineCanvas> TimelineCanvas::create_with_same_programs() const {
    return std::unique_ptr<TimelineCanvas>(
        new TimelineCanvas(std::make_shared<Source>(Source{source_->renderer->create_with_same_programs(), source_->moving,
                                                           0, source_->warm_ups_left, source_->is_mesh_warm})));
}

bool TimelineCanvas::is_coarse() const { return share_ > 1 && Clock::now() - asked_at_ < k_hidden_after; }

void TimelineCanvas::warm_up() {
    TimelineRenderer& renderer = *source_->renderer;
    if (renderer.upload_progress().total_bytes > 0) return;
    if (source_->warm_ups_left == 0) return warm_up_mesh();
    --source_->warm_ups_left;
    const Timeline timeline = Timeline::build(make_sample_allocations(k_sample_allocations), 0);
    const mesh::Mesh mesh = mesh::build_mesh(timeline);
    constexpr std::array<std::uint32_t, k_sample_allocations> k_colours{};
    if (!renderer.upload(timeline, mesh, k_colours)) return;
    constexpr int k_small_px = 3 * mesh::gpu_format::k_block_rows, k_large_px = 2 * k_small_px;
    update({0, k_sample_allocations, 0, k_sample_allocations}, Axis::steps, k_small_px, k_small_px, AllocationId::none());
    if (const OffscreenFramebuffer* large = coarse_.of_size(k_large_px, k_large_px);
        large != nullptr && target_ != nullptr) {
        const gl::FramebufferBindingGuard guard;
        large->bind();
        target_->copy_to_bound({0, 0, k_large_px, k_large_px}, {0, 0, k_large_px, k_large_px});
    }
    coarse_ = Target();  // releases the memory of the framebuffer on the GPU
    renderer.clear();
    invalidate();
}

void TimelineCanvas::warm_up_mesh() {
    if (std::exchange(source_->is_mesh_warm, true)) return;
    const std::unique_ptr<TimelineRenderer> renderer = source_->renderer->create_with_same_programs();
    const Timeline timeline = Timeline::build(make_sample_allocations(k_mesh_sample_allocations), 0);
    const mesh::Mesh mesh = mesh::build_mesh(timeline);
    const std::vector<std::uint32_t> colours(k_mesh_sample_allocations);
    if (!renderer->upload(timeline, mesh, colours)) return;
    renderer->begin_mesh_upload(TimelineTables::of(timeline, mesh),
                                std::make_shared<const mesh::TriangleMesh>(*mesh::build_triangle_mesh(timeline)));
    while (renderer->is_sending_mesh() && renderer->continue_upload(std::chrono::seconds(1))) {
    }
    const gl::FramebufferBindingGuard guard;
    constexpr int k_small_px = 3 * mesh::gpu_format::k_block_rows;
    Target target;
    const OffscreenFramebuffer* small = target.of_size(k_small_px, k_small_px);
    if (small == nullptr) return;
    small->bind();
    renderer->draw({0, k_small_px, 0, k_sample_allocations}, Axis::steps, k_small_px, k_small_px, AllocationId::none());
}

/// Returns the factor by which columns and rows are reduced for this update: 1 for full resolution.
int TimelineCanvas::share_to_draw(const DrawnState& wanted) const {
    if (source_->moving == MovingPixels::all || asked_at_ - moved_at_ >= k_settle_time) return 1;
    return static_cast<int>(std::ceil(std::sqrt(1.0 * wanted.width_px * wanted.height_px / k_moving_pixels)));
}

bool TimelineCanvas::update(const View& view, Axis axis, int width_px, int height_px, AllocationId highlighted) {
    // A collapsed panel requests a picture without pixels.
    const DrawnState wanted{view,
                            axis,
                            std::max(width_px, 1),
                            std::max(height_px, 1),
                            highlighted,
                            source_->renderer->background(),
                            source_->version};
    asked_at_ = Clock::now();
    if (drawn_ && wanted.has_moved_from(*drawn_)) moved_at_ = asked_at_;
    const int share = share_to_draw(wanted);
    if (drawn_ == wanted && share_ <= share) return false;
    const gl::FramebufferBindingGuard guard;
    static std::uint64_t picture_count = 0;  // shared by all canvases, which belong to the main thread
    picture_id_ = ++picture_count;
    drawn_ = wanted;
    share_ = share;
    const int width = (wanted.width_px + share - 1) / share, height = (wanted.height_px + share - 1) / share;
    target_ = (share > 1 ? coarse_ : sharp_).of_size(width, height);
    if (target_ == nullptr) return false;
    target_->bind();
    source_->renderer->draw(view, axis, width, height, highlighted);
    return true;
}

void TimelineCanvas::copy_to_bound(int x_px, int y_px, const FramebufferBox& cut) const {
    if (target_ == nullptr) return;
    const gl::FramebufferBindingGuard guard;
    target_->copy_to_bound({x_px, y_px, drawn_->width_px, drawn_->height_px}, cut);
}

}  // namespace snapviewer::render
