#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/fleet/fleet_rows.h"
#include "app/ui/state_parts.h"
#include "core/analysis/compare/curves.h"

namespace snapviewer {

/// State of the fleet window that persists between frames.
struct FleetState {
    bool is_open = false;
    std::vector<std::string> paths;           ///< paths of the opened fleet; empty before one is opened
    std::shared_ptr<const ShownFleet> shown;  ///< display data of the fleet that has been read so far
    std::size_t files = 0, files_read = 0;    ///< number of files on the disk, and of those that have been read
    LongWork work;

    FleetOrder order;                   ///< filter and sort order of the fleet table
    std::vector<std::uint32_t> places;  ///< ranks of `arranged`, in the order `arranged_by`
    std::shared_ptr<const ShownFleet> arranged;
    FleetOrder arranged_by;
    bool bars_by_peak = false;        ///< true to sort the bars by peak; false for the order of the fleet
    std::vector<std::uint32_t> bars;  ///< ranks of the fleet `barred_of`, sorted by peak if `barred_by_peak`
    std::shared_ptr<const ShownFleet> barred_of;
    bool barred_by_peak = false;
    std::vector<std::string> told;  ///< summary of the fleet `told_of`, wrapped to the width `told_width`
    std::shared_ptr<const ShownFleet> told_of;
    float told_width = 0;

    std::optional<RankPlace> cursor;  ///< rank under the cursor, which Enter opens
    bool scroll_to_cursor = false;
    std::vector<RankPlace> chosen;    ///< ranks chosen for comparison; their curves are drawn
    std::optional<RankPlace> opened;  ///< rank in the main window, with the path of its file on the disk

    std::string refusal;  ///< the reason why the last action on a rank failed; empty if it did not

    std::vector<RankPlace> curves_of;  ///< chosen ranks whose totals have been read
    compare::ReducedCurves curves;     ///< curves of `curves_of`
    bool curves_by_clock = false;      ///< true to align curves by clock if possible; false to align by training step
    std::string not_by_clock;          ///< the reason why the clocks do not agree; empty if they do
    std::string curves_status;         ///< progress of reading totals; empty if none are being read
    std::string curves_error;          ///< the reason why a chosen rank has no curve
    bool is_focused = false;           ///< true if the fleet window has the keyboard focus
};

}  // namespace snapviewer
