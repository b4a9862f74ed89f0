#pragma once

#include <cstddef>
#include <vector>

#include "app/features/reports/state.h"

/// Selection and zoom of icicles. No GUI dependencies.
namespace snapviewer {

/// Returns the initial state: everything in view and nothing selected. Shows the timeline if `has_timeline`, else the first
/// icicle.
IcicleState make_icicle_state(const std::vector<Icicle>& icicles, bool has_timeline);

/// Returns the index of the picture after the current one, numbered as in ShowPicture.
std::size_t next_picture(const IcicleState& state, bool has_timeline);

/// Zooms in until the range between two positions fills the window; no-op if the range has no width.
void zoom_into_bar(IcicleViewState& state, const Icicle& icicle, double x_begin, double x_end);

void zoom_icicle_about_middle(IcicleViewState& state, const Icicle& icicle, double factor);
void zoom_icicle_to_selection(IcicleViewState& state, const Icicle& icicle);
/// Zooms out to the window before the last zoom into a bar, else to the whole icicle. Returns false if it is already there.
bool zoom_icicle_out(IcicleViewState& state, const Icicle& icicle);

}  // namespace snapviewer
