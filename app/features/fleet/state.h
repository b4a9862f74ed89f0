#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/fleet/fleet_columns.h"
#include "app/ui/long_work.h"
#include "core/analysis/reduced_curves.h"

namespace snapviewer {

/// The window of a fleet between two frames.
struct FleetState {
    bool is_open = false;
    std::vector<std::string> paths;           ///< of what was opened; empty before anything was
    std::shared_ptr<const ShownFleet> shown;  ///< what has been read so far
    std::size_t files = 0, files_read = 0;    ///< on the disk, and of those
    LongWork work;

    FleetOrder order;                   ///< of the table
    std::vector<std::uint32_t> places;  ///< of `arranged`, in `arranged_by`
    std::shared_ptr<const ShownFleet> arranged;
    FleetOrder arranged_by;
    bool bars_by_peak = false;        ///< otherwise as the fleet has them
    std::vector<std::uint32_t> bars;  ///< of `barred_of`, in the order of `barred_by_peak`
    std::shared_ptr<const ShownFleet> barred_of;
    bool barred_by_peak = false;
    std::vector<std::string> told;  ///< the lines of `told_of` as they fit into `told_width`
    std::shared_ptr<const ShownFleet> told_of;
    float told_width = 0;

    std::optional<RankPlace> cursor;  ///< what Enter opens
    bool scroll_to_cursor = false;
    std::vector<RankPlace> chosen;    ///< to be compared, and whose curves are drawn
    std::optional<RankPlace> opened;  ///< the rank in the main window, its file as it is on the disk

    std::string refusal;  ///< why what was asked of a rank is not to be had

    std::vector<RankPlace> curves_of;  ///< those of `chosen` whose totals are known
    ReducedCurves curves;              ///< of these
    bool curves_by_clock = false;      ///< wanted where the clocks agree, otherwise by training steps
    std::string not_by_clock;          ///< why they do not agree; empty where they do
    std::string curves_status;         ///< empty while none is read
    std::string curves_error;          ///< why one has no curve
    bool is_focused = false;           ///< the keyboard is in its window
};

}  // namespace snapviewer
