#include "app/bench/frames.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "app/bench/measured_window.h"
#include "app/bench/walk.h"
#include "app/features/reports/icicle_zoom.h"
#include "app/features/timeline/pictures.h"

namespace snapviewer {
namespace {

constexpr int k_empty_frames_per_stop = 3;
constexpr int k_still_frames_per_view = 20;
constexpr int k_icicle_stops = 6;
constexpr int k_icicle_frames_per_stop = 10;
constexpr double k_icicle_zoom = 0.93;  // factor per frame

class FrameMeter {
public:
    FrameMeter(Studio& studio, Application& shown, Application& empty) : studio_(studio), shown_(shown), empty_(empty) {}

    void walk(Axis axis) {
        for (const WalkStop& stop : benchmark_walk(*shown_.state().current_timeline(), axis)) {
            measure_empty();
            shown_.state().current_device().axis = axis;
            measure_stop({stop.name, axis, {}, 0, 0}, stop.views.size(),
                         [&](std::size_t frame) { shown_.state().current_device().view = stop.views[frame]; });
            if (stop.name == "fit" || stop.name == "zoom in 6" || stop.name == "zoom in 12") measure_still();
        }
    }

    void walk_icicle() {
        shown_.state().icicle.shown = 0;
        const Icicle& icicle = *shown_.state().shown_icicle();
        for (int stop = 0; stop < k_icicle_stops; ++stop) {
            measure_empty();
            measure_stop({"icicle", Axis::steps, {}, 0, 0}, k_icicle_frames_per_stop, [&](std::size_t) {
                zoom_icicle_about_middle(shown_.state().shown_icicle_view(), icicle, k_icicle_zoom);
            });
            measure_still();
        }
    }

    FrameFigures figures() {
        figures_.driver = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
        figures_.moving_ms = distribution_of(moving_ms_);
        figures_.layout_ms = distribution_of(layout_ms_);
        figures_.still_ms = distribution_of(still_ms_);
        figures_.empty_ms = distribution_of(empty_ms_);
        figures_.uploaded_bytes_per_frame = static_cast<double>(uploaded_bytes_) / static_cast<double>(moving_ms_.size());
        return std::move(figures_);
    }

private:
    /// Measures frames without a file, which are the unit for other results. Draws them as a whole, also with drivers for
    /// which unchanged parts are normally kept.
    void measure_empty() {
        settle(studio_, empty_);
        for (int frame = 0; frame < k_empty_frames_per_stop; ++frame) {
            studio_.interface->forget();
            empty_ms_.push_back(timed_frame(studio_, empty_).whole_ms);
        }
    }

    /// Measures one stop of the walk. `move(frame)` changes the visible part of the picture.
    template <typename Move>
    void measure_stop(StopFigures figures, std::size_t frame_count, Move move) {
        settle(studio_, shown_);
        hover(0.5, 0.5);
        const std::uint64_t uploaded_before = shown_.pictures().canvas().renderer().stats().uploaded_bytes;
        std::vector<double> frames_ms;
        for (std::size_t frame = 0; frame < frame_count; ++frame) {
            move(frame);
            const FrameTime time = timed_frame(studio_, shown_);
            frames_ms.push_back(time.whole_ms);
            layout_ms_.push_back(time.layout_ms);
            const RenderStats stats = shown_.pictures().canvas().renderer().stats();
            figures.vertices = std::max(figures.vertices, stats.drawn_vertices);
            figures.draw_calls = std::max(figures.draw_calls, stats.draw_calls);
            if (stats.drawn_from == DrawnFrom::index) ++figures.index_frames;
            if (stats.drawn_from == DrawnFrom::mesh) ++figures.mesh_frames;
            figures_.mesh_records = stats.mesh_records;
            figures_.mesh_bytes = stats.mesh_bytes;
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
        timed_frame(studio_, shown_);
        for (int frame = 0; frame < k_still_frames_per_view; ++frame) {
            const double across = anywhere(random_);
            hover(across, anywhere(random_));
            still_ms_.push_back(timed_frame(studio_, shown_).whole_ms);
        }
    }

    /// Moves the mouse over a point of the picture, given as fractions of its width and height.
    void hover(double across, double down) {
        AppState& state = shown_.state();
        ImVec2 min = state.timeline.projection.min;
        ImVec2 max = state.timeline.projection.max;
        if (state.shown_icicle() != nullptr) {
            min = state.shown_icicle_view().min;
            max = state.shown_icicle_view().max;
        }
        studio_.interface->move_mouse(
            {static_cast<float>(std::lerp(min.x, max.x, across)), static_cast<float>(std::lerp(min.y, max.y, down))});
    }

    Studio& studio_;
    Application& shown_;
    Application& empty_;
    std::mt19937 random_{1};
    std::vector<double> moving_ms_, layout_ms_, still_ms_, empty_ms_;
    std::uint64_t uploaded_bytes_ = 0;
    FrameFigures figures_;
};

template <typename Walk>
Result<FrameFigures> measure_window(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                    const FrameOptions& options, Walk walk) {
    Result<Studio> studio = Studio::create(options.width_px, options.height_px);
    if (!studio) return studio.error();
    const auto shown = make_application(*studio, document, device_index, options.all_tracks);
    if (!shown) return shown.error();
    const auto empty = make_application(*studio, nullptr, 0, false);
    if (!empty) return empty.error();
    come_to_rest(*studio, **shown);
    FrameMeter meter(*studio, **shown, **empty);
    walk(meter);
    return meter.figures();
}

}  // namespace

Result<FrameFigures> measure_frames(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                    const FrameOptions& options) {
    return measure_window(document, device_index, options, [&](FrameMeter& meter) {
        meter.walk(Axis::steps);
        if (document->devices[device_index].timeline->has_times()) meter.walk(Axis::time);
    });
}

Result<FrameFigures> measure_icicle_frames(const std::shared_ptr<const Document>& document, const FrameOptions& options) {
    return measure_window(document, 0, options, [](FrameMeter& meter) { meter.walk_icicle(); });
}

}  // namespace snapviewer
