#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/features/live/state.h"
#include "app/features/requests.h"
#include "app/features/timeline/projection.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Shows another moment: of another file or device the peak, of the same one `tick` if there is one.
void show_live_at(LiveListState& state, const Timeline& timeline, std::optional<std::uint32_t> tick);
/// After sorted_by, is_descending or filter changed.
void arrange_live_rows(LiveListState& state);
/// The rows as they are shown, with a line of names, cells apart by tabs; bytes are numbers.
std::string live_rows_as_tsv(const LiveListState& state);

/// The rest of the current window as a list. A click on a row asks for all of that stack to stand out, and on the row that
/// does, for nothing to. `emphasised` is the stack that stands out, if one does.
void draw_live_view(LiveListState& state, const Timeline& timeline, std::optional<StackId> emphasised, Requests& requests);

/// A line at the moment whose live allocations are listed. Dragged by its foot, it asks for those of another one.
void draw_live_line(const Projection& canvas, const Timeline& timeline, Axis axis, std::uint32_t tick, Requests& requests);

}  // namespace snapviewer
