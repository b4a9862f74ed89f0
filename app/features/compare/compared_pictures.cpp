#include "app/features/compare/compared_pictures.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/features/timeline/kind_groups.h"
#include "app/ui/theme.h"
#include "core/mesh/greyed.h"

namespace snapviewer {
namespace {

/// Time per frame for uploading B to the GPU. Frames during the upload take this much longer.
constexpr auto k_sending_b_per_frame = std::chrono::milliseconds(8);

}  // namespace

void ComparedPictures::forget() {
    making_.discard();
    moving_.discard();
    wanted_.reset();
    canvas_a_.reset();
    canvas_b_.reset();
    sent_ = nullptr;
    moving_to_ = 0;
    state_.compare.pictures = ComparedPicturesState{};
}

void ComparedPictures::park() {
    canvas_a_.reset();
    canvas_b_.reset();
    sent_ = nullptr;
}

void ComparedPictures::update() {
    const CompareState& page = state_.compare;
    if (!state_.compare.is_open || page.shown == nullptr) {
        if (wanted_) forget();
        return;
    }
    const Wanted wanted{page.shown->task.a, page.shown->task.b, state_.colour_by == ColourBy::kind};
    if (wanted_ != wanted) {
        const bool is_same_pair = wanted_ && wanted_->a == wanted.a && wanted_->b == wanted.b;
        if (!is_same_pair) forget();
        wanted_ = wanted;
        making_.start(make_pictures_job(page.shown, wanted.with_kinds));
    }
    take();
    if (page.pictures.made == nullptr) return;
    send();
    continue_sending();
    follow_hand();
}

void ComparedPictures::take() {
    ComparedPicturesState& pictures = state_.compare.pictures;
    auto outcome = making_.take();
    if (!outcome) return;
    if (!*outcome) return fail(outcome->error());
    const bool is_first = pictures.made == nullptr;
    pictures.made = std::move(**outcome);
    if (is_first) fit_compared_pictures(pictures);
}

void ComparedPictures::fail(const Error& error) {
    if (error.code != ErrorCode::cancelled) state_.compare.pictures.error = "B cannot be drawn: it " + error.text();
}

std::vector<std::uint32_t> ComparedPictures::colours_of_b() const {
    const ComparedPicture& made = *state_.compare.pictures.made;
    const Timeline& timeline = made.timeline_b();
    ColourGroups groups =
        made.kinds_of_b() != nullptr ? kind_groups(timeline, made.kinds_of_b()) : colour_groups(timeline, state_.colour_by);
    for (ColourGroup& group : groups.groups) {
        const auto of_a = std::ranges::find(state_.groups.groups, group.name, &ColourGroup::name);
        if (of_a != state_.groups.groups.end()) group.colour = of_a->colour;
    }
    if (groups.groups.empty() && state_.colour_by == ColourBy::stack)
        return AllocationColours(timeline, made.stack_colours_of_b()).all();
    return AllocationColours(timeline, state_.colour_by, groups).all();
}

/// True if B is drawn with the current highlight, colouring and theme.
bool ComparedPictures::has_colours() const {
    return lit_ == state_.compare.lit_b && coloured_by_ == state_.colour_by && ground_ == palette().ground;
}

/// Uploads the timeline of B once, and updates its colours and highlight whenever they change.
void ComparedPictures::send() {
    const auto& made = state_.compare.pictures.made;
    const bool is_sent = sent_ == made.get();
    if (is_sent && has_colours()) return;
    if (canvas_b_ == nullptr) canvas_b_ = pictures_.canvas().create_alike();
    canvas_b_->invalidate();
    TimelineRenderer& renderer = canvas_b_->renderer();
    Status sent;
    if (!is_sent)
        sent = renderer.begin_upload(made->tables(), made, made->mesh(), colours_of_b());
    else if (coloured_by_ != state_.colour_by)
        renderer.set_colours(colours_of_b());
    sent_ = made.get();
    lit_ = state_.compare.lit_b;
    coloured_by_ = state_.colour_by;
    ground_ = palette().ground;
    if (sent) sent = renderer.set_standing_out(lit_.get(), ground_);
    if (!sent) fail(sent.error());
}

void ComparedPictures::continue_sending() {
    if (canvas_b_ == nullptr) return;
    TimelineRenderer& renderer = canvas_b_->renderer();
    const UploadProgress before = renderer.upload_progress();
    if (before.is_done()) return;
    if (const Status sent = renderer.continue_upload(k_sending_b_per_frame); !sent) fail(sent.error());
    if (renderer.upload_progress().is_done() != before.is_done()) canvas_b_->invalidate();
}

/// Starts to recompute the curves if the user has shifted B. Until that is done, the previous curves stay on the screen.
void ComparedPictures::follow_hand() {
    ComparedPicturesState& pictures = state_.compare.pictures;
    if (auto moved = moving_.take()) pictures.moved_curves = std::make_shared<const AlignedCurves>(std::move(*moved));
    if (moving_.is_busy() || moving_to_ == pictures.later_steps) return;
    moving_to_ = pictures.later_steps;
    if (moving_to_ == 0)
        pictures.moved_curves.reset();
    else
        moving_.start(make_curves_job(state_.compare.shown, moving_to_));
}

bool ComparedPictures::is_busy() const {
    if (making_.is_busy() || moving_.is_busy() || is_coarse()) return true;
    const CompareState& page = state_.compare;
    if (!state_.compare.is_open || page.shown == nullptr) return wanted_.has_value();
    if (!wanted_ || moving_to_ != page.pictures.later_steps) return true;
    return canvas_b_ != nullptr && (!has_colours() || !canvas_b_->renderer().upload_progress().is_done());
}

ComparedCanvases ComparedPictures::canvases() {
    const auto& shown = state_.compare.shown;
    if (!wanted_ || shown == nullptr) return {};
    ComparedCanvases canvases;
    const bool has_a = shown->task.a == OpenDevice{state_.document, state_.device_index} &&
                       state_.current_timeline() != nullptr && state_.current_kind() == ViewKind::allocations;
    if (has_a) {
        if (canvas_a_ == nullptr) canvas_a_ = pictures_.canvas().create_beside();
        canvases.a = canvas_a_.get();
        canvases.mesh_a = &state_.current_mesh();
        canvases.selected_a = state_.selected();
        canvases.a_has_nothing_lit = state_.compare.lit_b != nullptr && state_.compare.lit_name.empty();
    }
    if (state_.compare.pictures.made != nullptr && canvas_b_ != nullptr && canvas_b_->renderer().upload_progress().is_done())
        canvases.b = canvas_b_.get();
    return canvases;
}

}  // namespace snapviewer
