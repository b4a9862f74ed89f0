#include "app/features/reports/icicle_zoom.h"

namespace snapviewer {

IcicleState make_icicle_state(const std::vector<Icicle>& icicles, bool has_timeline) {
    IcicleState state;
    for (const Icicle& icicle : icicles) {
        state.views.emplace_back();
        state.views.back().window = whole_icicle(icicle);
    }
    if (!has_timeline && !icicles.empty()) state.shown = 0;
    return state;
}

std::size_t next_picture(const IcicleState& state, bool has_timeline) {
    const std::size_t shown = state.shown ? *state.shown + 1 : 0;
    if (shown < state.views.size()) return shown + 1;
    return has_timeline || state.views.empty() ? 0 : 1;
}

void zoom_into_bar(IcicleViewState& state, const Icicle& icicle, double x_begin, double x_end) {
    if (!(x_end > x_begin)) return;
    state.zoomed_from.push_back(state.window);
    const double air = 0.01 * (x_end - x_begin);
    const double middle = (x_begin + x_end) / 2;
    const double factor = (x_end - x_begin + 2 * air) / state.window.width();
    // zoom_icicle() keeps its fixed point in place, so the range is moved to the middle of the window first.
    IcicleWindow window = state.window;
    const double shift = middle - (window.x_begin + window.x_end) / 2;
    window.x_begin += shift;
    window.x_end += shift;
    state.window = zoom_icicle(icicle, window, middle, factor);
}

void zoom_icicle_about_middle(IcicleViewState& state, const Icicle& icicle, double factor) {
    state.window = zoom_icicle(icicle, state.window, (state.window.x_begin + state.window.x_end) / 2, factor);
}

void zoom_icicle_to_selection(IcicleViewState& state, const Icicle& icicle) {
    if (!state.selected) return;
    const IcicleNode& node = icicle.nodes[*state.selected];
    zoom_into_bar(state, icicle, node.start, node.end());
}

bool zoom_icicle_out(IcicleViewState& state, const Icicle& icicle) {
    if (!state.zoomed_from.empty()) {
        state.window = state.zoomed_from.back();
        state.zoomed_from.pop_back();
        return true;
    }
    const IcicleWindow whole = whole_icicle(icicle);
    if (state.window == whole) return false;
    state.window = whole;
    return true;
}

}  // namespace snapviewer
