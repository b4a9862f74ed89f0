#pragma once

#include "app/features/app_state.h"
#include "core/base/addresses.h"

namespace snapviewer {

/// Preconditions that commands of several features share.
inline bool has_document(const AppState& state) { return state.document != nullptr; }
inline bool can_be_reloaded(const AppState& state) {
    return has_document(state) && !is_standard_input(state.document->path);
}
/// True if the fleet window is open and has the keyboard focus.
inline bool is_in_fleet(const AppState& state) { return state.fleet.is_open && state.fleet.is_focused; }
inline bool has_picture(const AppState& state) { return state.current_timeline() != nullptr; }
inline bool has_any_picture(const AppState& state) { return has_picture(state) || state.shown_icicle() != nullptr; }
inline bool shows_timeline(const AppState& state) { return has_picture(state) && state.shown_icicle() == nullptr; }
inline bool has_selected_node(const AppState& state) {
    return state.shown_icicle() != nullptr && state.icicle.views[*state.icicle.shown].selected.has_value();
}
inline bool has_selected_part(const AppState& state) {
    return state.shown_icicle() != nullptr ? has_selected_node(state) : state.selected().is_some();
}

}  // namespace snapviewer
