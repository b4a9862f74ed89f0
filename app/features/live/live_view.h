#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/requests.h"
#include "core/timeline/live_totals.h"

namespace snapviewer {

enum class LiveColumn : std::uint8_t { bytes, share, count, stack };

/// What is alive at one moment, by stack, between two frames. Worked out again only when the moment changes.
struct LiveListState {
    const Timeline* timeline = nullptr;  ///< only compared, never read
    std::uint32_t tick = 0;
    std::vector<StackTotal> totals;
    std::vector<std::string> names;  ///< parallel to totals
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;

    LiveColumn sorted_by = LiveColumn::bytes;
    bool is_descending = true;
    std::string filter;                ///< a part of the name
    std::vector<std::uint32_t> order;  ///< of totals, as shown
    bool is_narrow = false;            ///< the share is a bar behind the bytes, and the count is left to the tooltip
};

/// Shows another moment: of another file or device the peak, of the same one `tick` if there is one.
void show_live_at(LiveListState& state, const Timeline& timeline, std::optional<std::uint32_t> tick);
/// After sorted_by, is_descending or filter changed.
void arrange_live_rows(LiveListState& state);
/// The rows as they are shown, with a line of names, cells apart by tabs; bytes are numbers.
std::string live_rows_as_tsv(const LiveListState& state);

/// The rest of the current window as a list. A click on a row asks for all of that stack to stand out, and on the row that
/// does, for nothing to. `emphasised` is the stack that stands out, if one does.
void draw_live_view(LiveListState& state, const Timeline& timeline, std::optional<StackId> emphasised, Requests& requests);

}  // namespace snapviewer
