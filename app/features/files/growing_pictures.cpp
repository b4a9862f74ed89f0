#include "app/features/files/growing_pictures.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "app/system/window_system.h"

namespace snapviewer {
namespace {

constexpr double k_first_look_ms = 250;
/// Minimum time for which a preview must be visible to be worth its cost.
constexpr double k_least_sight_ms = 500;
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
    state_.growing = GrowingPictureState{};
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
    // Standard input has no known length, and this preview may be the last one for a long time.
    if (fraction <= 0) return true;
    const double left_ms = job.elapsed_ms() * static_cast<double>((1 - fraction) / fraction);
    const double growth = asked_at_ > 0 ? static_cast<double>(done) / static_cast<double>(asked_at_) : 1;
    return left_ms > making_took_ms_ * growth + k_least_sight_ms;
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
    if (state_.growing.shown != nullptr) send();
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
    state_.growing.shown = std::move(**made);
    state_.growing.fraction = asked_at_fraction_;
    if (!state_.growing.is_moved) fit_growing_picture(state_.growing);
}

void GrowingPictures::send() {
    const std::shared_ptr<const GrowingPicture>& shown = state_.growing.shown;
    if (canvas_ == nullptr) canvas_ = pictures_.canvas().create_alike();
    TimelineRenderer& renderer = canvas_->renderer();
    if (sent_ != shown.get()) {
        sent_ = shown.get();
        if (!renderer.begin_upload(shown->timeline, shown->mesh, shown->colours)) return;
    }
    if (renderer.upload_progress().is_done()) return;
    if (renderer.continue_upload(k_sending_of_growing_per_frame)) canvas_->invalidate();
}

TimelineCanvas* GrowingPictures::canvas() const {
    return canvas_ != nullptr && canvas_->renderer().upload_progress().is_done() ? canvas_.get() : nullptr;
}

}  // namespace snapviewer
