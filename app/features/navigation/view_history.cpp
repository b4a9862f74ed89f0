#include "app/features/navigation/view_history.h"

#include <utility>

namespace snapviewer {
namespace {

constexpr std::size_t k_most_places = 500;
/// A wheel that pauses for longer than this starts a new movement.
constexpr double k_rest_s = 0.6;

}  // namespace

std::optional<ViewHistory::Place> ViewHistory::current() const {
    if (state_.current_timeline() == nullptr) return std::nullopt;
    const DeviceState& device = state_.current_device();
    return Place{state_.device_index, state_.current_kind(), device.axis, device.view};
}

void ViewHistory::leave(const std::optional<Place>& place) {
    after_.clear();
    if (!place) return;
    if (before_.size() == k_most_places) before_.erase(before_.begin());
    before_.push_back(*place);
}

void ViewHistory::show_counts() {
    state_.views_before = before_.size();
    state_.views_after = after_.size();
}

/// Changes while a button or key is held count as one movement, however many frames they take. The last change may come in
/// the frame in which it is released, hence `was_held_`.
void ViewHistory::note_movement(double now_s, bool is_held) {
    const std::optional<Place> now = current();
    if (now != last_) {
        const bool goes_on = is_held || was_held_ ? has_hold_moved_ : now_s - moved_at_s_ <= k_rest_s;
        if (!goes_on) leave(last_);
        has_hold_moved_ = true;
        moved_at_s_ = now_s;
        last_ = now;
        show_counts();
    }
    if (!is_held) has_hold_moved_ = false;
    was_held_ = is_held;
}

void ViewHistory::note_jump() {
    const std::optional<Place> now = current();
    if (now == last_) return;
    leave(last_);
    moved_at_s_ = -1e9;
    last_ = now;
    show_counts();
}

void ViewHistory::go(bool back) {
    std::vector<Place>& from = back ? before_ : after_;
    if (from.empty() || !last_) return;
    (back ? after_ : before_).push_back(*last_);
    const Place place = from.back();
    from.pop_back();
    pictures_.show(place.device_index, place.kind);
    DeviceState& device = state_.current_device();
    if (device.axis != place.axis) state_.timeline.forget_outlines();
    device.axis = place.axis;
    device.view = place.view;
    last_ = current();
    moved_at_s_ = -1e9;
    show_counts();
}

void ViewHistory::forget() {
    before_.clear();
    after_.clear();
    last_.reset();
    show_counts();
}

}  // namespace snapviewer
