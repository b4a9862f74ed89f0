#include "app/bench/frames.h"

#include <glad/gl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "app/bench/walk.h"
#include "app/window/application.h"
#include "app/window/studio.h"

namespace snapviewer {
namespace {

constexpr int k_picture_width_px = 1600;
constexpr int k_height_px = 900;
/// Panels need a few frames to come to rest when they were not shown before.
constexpr int k_warm_up_frames = 3;
constexpr int k_empty_frames_per_stop = 3;
constexpr int k_still_frames_per_view = 20;
constexpr int k_flat_frames = 3;

/// Draws one frame and waits until the last pixel is there.
double timed_frame_ms(Studio& studio, Application& application) {
    const auto began = std::chrono::steady_clock::now();
    studio.interface->begin_frame();
    application.frame({});
    studio.interface->end_frame(studio.target);
    glFinish();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

void settle(Studio& studio, Application& application) {
    for (int frame = 0; frame < k_warm_up_frames; ++frame) timed_frame_ms(studio, application);
}

Result<std::unique_ptr<Application>> make_application(const std::shared_ptr<const Document>& document,
                                                      std::size_t device_index) {
    Result<std::unique_ptr<Application>> application = Application::create(Settings{});
    if (!application || !document) return application;
    (*application)->adopt(document);
    Pictures& pictures = (*application)->pictures();
    pictures.show_device(device_index);
    pictures.send();
    if (const auto& failed = (*application)->state().failed) return failed->error;
    TimelineRenderer& renderer = pictures.canvas().renderer();
    while (!renderer.upload_progress().is_done()) {
        if (const Status status = renderer.continue_upload(std::chrono::seconds(1)); !status) return status.error();
    }
    return application;
}

/// A mesh without a budget in place of the one that the document has.
Status upload_all_records(TimelineRenderer& renderer, const Timeline& timeline) {
    Progress progress;
    const Result<Mesh> mesh =
        build_mesh(timeline, progress, {.record_budget_bytes = std::numeric_limits<std::uint64_t>::max()});
    if (!mesh) return mesh.error();
    return renderer.upload(timeline, *mesh, std::vector<std::uint32_t>(timeline.allocation_count(), 0xff808080));
}

class FrameMeter {
public:
    FrameMeter(Studio& studio, Application& shown, Application& empty) : studio_(studio), shown_(shown), empty_(empty) {}

    void walk(Axis axis) {
        for (const WalkStop& stop : benchmark_walk(*shown_.state().current_timeline(), axis)) {
            measure_empty();
            measure_stop(stop, axis);
            if (stop.name == "fit" || stop.name == "zoom in 6" || stop.name == "zoom in 12") measure_still();
        }
    }

    FrameFigures figures() {
        figures_.moving_ms = distribution_of(moving_ms_);
        figures_.still_ms = distribution_of(still_ms_);
        figures_.empty_ms = distribution_of(empty_ms_);
        figures_.uploaded_bytes_per_frame = static_cast<double>(uploaded_bytes_) / static_cast<double>(moving_ms_.size());
        return std::move(figures_);
    }

private:
    void measure_empty() {
        settle(studio_, empty_);
        for (int frame = 0; frame < k_empty_frames_per_stop; ++frame) empty_ms_.push_back(timed_frame_ms(studio_, empty_));
    }

    void measure_stop(const WalkStop& stop, Axis axis) {
        shown_.state().current_device().axis = axis;
        settle(studio_, shown_);
        hover(0.5, 0.5);
        const std::uint64_t uploaded_before = shown_.pictures().canvas().renderer().stats().uploaded_bytes;
        StopFigures figures{stop.name, axis, {}, 0, 0};
        std::vector<double> frames_ms;
        for (const View& view : stop.views) {
            shown_.state().current_device().view = view;
            frames_ms.push_back(timed_frame_ms(studio_, shown_));
            const RenderStats stats = shown_.pictures().canvas().renderer().stats();
            figures.vertices = std::max(figures.vertices, stats.drawn_vertices);
            figures.draw_calls = std::max(figures.draw_calls, stats.draw_calls);
        }
        uploaded_bytes_ += shown_.pictures().canvas().renderer().stats().uploaded_bytes - uploaded_before;
        moving_ms_.insert(moving_ms_.end(), frames_ms.begin(), frames_ms.end());
        figures.frame_ms = distribution_of(std::move(frames_ms));
        figures_.vertices_per_frame = std::max(figures_.vertices_per_frame, figures.vertices);
        figures_.draw_calls_per_frame = std::max(figures_.draw_calls_per_frame, figures.draw_calls);
        figures_.stops.push_back(std::move(figures));
    }

    void measure_still() {
        std::uniform_real_distribution<double> anywhere(0.02, 0.98);
        timed_frame_ms(studio_, shown_);
        for (int frame = 0; frame < k_still_frames_per_view; ++frame) {
            const double across = anywhere(random_);
            hover(across, anywhere(random_));
            still_ms_.push_back(timed_frame_ms(studio_, shown_));
        }
    }

    /// Puts the mouse over a point of the picture: parts of its width and height.
    void hover(double across, double down) {
        const Projection& canvas = shown_.state().timeline.projection;
        studio_.interface->move_mouse({static_cast<float>(std::lerp(canvas.min.x, canvas.max.x, across)),
                                       static_cast<float>(std::lerp(canvas.min.y, canvas.max.y, down))});
    }

    Studio& studio_;
    Application& shown_;
    Application& empty_;
    std::mt19937 random_{1};
    std::vector<double> moving_ms_, still_ms_, empty_ms_;
    std::uint64_t uploaded_bytes_ = 0;
    FrameFigures figures_;
};

}  // namespace

Result<FrameFigures> measure_frames(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                    Drawing drawing) {
    Result<Studio> studio = Studio::create(k_picture_width_px, k_height_px);
    if (!studio) return studio.error();
    const auto shown = make_application(document, device_index);
    if (!shown) return shown.error();
    (*shown)->pictures().canvas().renderer().set_drawing(drawing);
    const auto empty = make_application(nullptr, 0);
    if (!empty) return empty.error();
    FrameMeter meter(*studio, **shown, **empty);
    meter.walk(Axis::steps);
    if (document->devices[device_index].timeline->has_times()) meter.walk(Axis::time);
    return meter.figures();
}

Result<Distribution> measure_flat_mesh(const std::shared_ptr<const Document>& document, std::size_t device_index) {
    Result<Studio> studio = Studio::create(k_picture_width_px, k_height_px);
    if (!studio) return studio.error();
    const auto shown = make_application(document, device_index);
    if (!shown) return shown.error();
    settle(*studio, **shown);
    TimelineRenderer& renderer = (*shown)->pictures().canvas().renderer();
    if (const Status status = upload_all_records(renderer, *document->devices[device_index].timeline); !status)
        return status.error();
    renderer.set_drawing(Drawing::mesh);
    View& view = (*shown)->state().current_device().view;
    std::vector<double> frames_ms;
    for (int frame = 0; frame < k_flat_frames; ++frame) {
        view.x_end += 1e-3 * view.width();
        frames_ms.push_back(timed_frame_ms(*studio, **shown));
        if (renderer.stats().drawn_vertices == 0)
            return Error{ErrorCode::environment, "the driver drew nothing of the flat mesh", {}, {}};
    }
    return distribution_of(std::move(frames_ms));
}

}  // namespace snapviewer
