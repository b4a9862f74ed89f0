#pragma once

#include <cstddef>
#include <vector>

#include "app/features/reports/state.h"

/// Which icicle is on the screen, and what of it. No GUI in here.
namespace snapviewer {

/// Everything shown and nothing selected; `has_timeline` decides whether the timeline or the first icicle is on the screen.
IcicleState make_icicle_state(const std::vector<Icicle>& icicles, bool has_timeline);

/// The picture after the one on the screen, as ShowPicture counts them.
std::size_t next_picture(const IcicleState& state, bool has_timeline);

/// Nearer, until what lies between two places fills it; nothing where that has no width.
void zoom_into_bar(IcicleViewState& state, const Icicle& icicle, double x_begin, double x_end);

void zoom_icicle_about_middle(IcicleViewState& state, const Icicle& icicle, double factor);
void zoom_icicle_to_selection(IcicleViewState& state, const Icicle& icicle);
/// Back to before the last zoom into a bar, otherwise to all of it; false if there is nowhere to go.
bool zoom_icicle_out(IcicleViewState& state, const Icicle& icicle);

}  // namespace snapviewer
