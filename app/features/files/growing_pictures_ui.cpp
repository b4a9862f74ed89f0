#include "app/features/files/growing_pictures_ui.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "app/features/files/files_ui.h"
#include "app/features/timeline/canvas_ui.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/system/window_system.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

void follow_mouse(GrowingPictureState& state) {
    const ViewLimits limits = view_limits(*state.shown->timeline, Axis::steps);
    if (ImGui::IsItemActivated()) {
        state.pressed_view = state.view;
        state.is_dragging = false;
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px))
        state.is_dragging = state.is_moved = true;
    if (ImGui::IsItemActive() && state.is_dragging) state.view = dragged_view(state.pressed_view, state.projection, limits);
    if (!ImGui::IsItemHovered()) return;
    if (turned_notches() != 0) {
        state.view = wheeled_view(state.projection, limits);
        state.is_moved = true;
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) fit_growing_picture(state);
}

}  // namespace

std::string growing_picture_text(const GrowingPictureState& state) {
    const Timeline& timeline = *state.shown->timeline;
    const std::string part =
        state.fraction > 0 ? fmt::format("the first {:.0f} %", static_cast<double>(state.fraction) * 100) : "the beginning";
    return fmt::format("the picture shows {}: {}, peak {}", part, counted(timeline.trace().events.size(), "event"),
                       format_bytes(timeline.peak_bytes()));
}

void fit_growing_picture(GrowingPictureState& state) {
    state.view = fit_view(view_limits(*state.shown->timeline, Axis::steps));
    state.is_moved = false;
}

void draw_growing_picture(GrowingPictureState& state, render::TimelineCanvas& canvas, ImVec2 size) {
    const AxisMargins margins = axis_margins();
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    state.projection = {state.view,
                        {std::floor(pos.x + margins.left), std::floor(pos.y + margins.top)},
                        {std::floor(pos.x + size.x - margins.right), std::floor(pos.y + size.y - margins.bottom)}};
    const ImVec2 min = state.projection.min, max = state.projection.max;
    ImGui::SetCursorScreenPos(min);
    click_area("growing picture", {max.x - min.x, max.y - min.y});
    report_rect("load_picture");
    follow_mouse(state);
    state.projection.view = state.view;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_canvas(list, canvas, state.projection, Axis::steps, AllocationId::none());
    draw_axes(list, state.projection, Axis::steps, std::nullopt);
    ImGui::SetCursorScreenPos(pos);
    ImGui::Dummy(size);
}

namespace {

constexpr double k_first_look_ms = 250;
/// Minimum time for which a preview must be visible to be worth its cost.
constexpr double k_min_sight_ms = 500;
constexpr std::uint64_t k_growth = 2;
/// Time per frame for uploading the preview to the GPU. Frames during the upload take this much longer.
constexpr auto k_sending_of_growing_per_frame = std::chrono::milliseconds(8);

}  // namespace

void GrowingPictures::forget() {
    observer_.reset();
    has_told_ = false;
    has_asked_ = false;
    asked_at_ = 0;
    asked_at_fraction_ = 0;
    making_took_ms_ = 0;
    making_.discard();
    park();
    session_.growing = GrowingPictureState{};
}

void GrowingPictures::park() {
    canvas_.reset();
    sent_ = nullptr;
}

bool GrowingPictures::is_time_to_look() const {
    const Job<OpenedFile>& job = opener_.job();
    if (has_asked_ || job.progress().stage() != Stage::reading || job.elapsed_ms() < k_first_look_ms) return false;
    const std::uint64_t done = job.progress().done();
    if (done == 0 || done < k_growth * asked_at_) return false;
    const float fraction = job.progress().fraction();
    // The length of standard input is unknown, so the remaining time cannot be estimated.
    if (fraction <= 0) return true;
    const double left_ms = job.elapsed_ms() * static_cast<double>((1 - fraction) / fraction);
    const double growth = asked_at_ > 0 ? static_cast<double>(done) / static_cast<double>(asked_at_) : 1;
    return left_ms > making_took_ms_ * growth + k_min_sight_ms;
}

void GrowingPictures::update() {
    if (observer_ != opener_.observer()) {
        forget();
        observer_ = opener_.observer();
    }
    if (observer_ == nullptr) {
        // In a browser, a page is open before its user chooses a file, so the canvas is prepared in advance, after the first
        // frame.
        if (!k_may_sleep && std::exchange(was_shown_, true)) pictures_.canvas().warm_up();
        return;
    }
    // The first frame shows that the file is being read, so the canvas is only prepared in the next frame.
    if (std::exchange(has_told_, true)) pictures_.canvas().warm_up();
    take();
    if (session_.growing.shown != nullptr) send();
    if (!is_time_to_look()) return;
    has_asked_ = true;
    asked_at_ = opener_.job().progress().done();
    asked_at_fraction_ = opener_.job().progress().fraction();
    observer_->ask();
}

void GrowingPictures::take() {
    if (std::optional<EventsSoFar> events = observer_->take()) making_.start(make_growing_picture_job(*std::move(events)));
    const double took_ms = making_.elapsed_ms();
    std::optional<GrowingPictureOutcome> made = making_.take();
    if (!made || !*made) return;  // a preview that fails is skipped; the complete file may succeed, or reports its own error
    has_asked_ = false;
    making_took_ms_ = took_ms;
    session_.growing.shown = std::move(**made);
    session_.growing.fraction = asked_at_fraction_;
    if (!session_.growing.is_moved) fit_growing_picture(session_.growing);
}

void GrowingPictures::send() {
    const std::shared_ptr<const GrowingPicture>& shown = session_.growing.shown;
    if (canvas_ == nullptr) canvas_ = pictures_.canvas().create_with_same_programs();
    render::TimelineRenderer& renderer = canvas_->renderer();
    if (sent_ != shown.get()) {
        sent_ = shown.get();
        if (!renderer.begin_upload(shown->timeline, shown->mesh, shown->colours)) return;
    }
    if (renderer.upload_progress().is_done()) return;
    if (renderer.continue_upload(k_sending_of_growing_per_frame)) canvas_->invalidate();
}

void GrowingPictures::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window, .order = 200, .draw = [this](const Area& work, Requests& requests) {
                                draw_progress(work, requests);
                            }});
}

void GrowingPictures::draw_progress(const Area& work, Requests& requests) {
    const Job<OpenedFile>& job = opener_.job();
    const bool is_slow = job.is_busy() && job.elapsed_ms() > k_quiet_load_ms;
    const std::optional<OpeningFile> opening = opener_.opening();
    draw_progress_dialog({opening ? opening->path : "",
                          is_slow ? &job.progress() : nullptr,
                          session_.document != nullptr,
                          {work.pos, {work.pos.x + work.size.x, work.pos.y + work.size.y}},
                          session_.growing,
                          canvas()},
                         requests);
    session_.is_covered_by_load = is_slow;
}

render::TimelineCanvas* GrowingPictures::canvas() const {
    return canvas_ != nullptr && canvas_->renderer().upload_progress().is_done() ? canvas_.get() : nullptr;
}

}  // namespace snapviewer
