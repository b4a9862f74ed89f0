#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/measured_window.h"

namespace snapviewer {

/// Measurements of opening or rearranging a page, a window or a list.
struct PageFigures {
    std::string name;             ///< name of the command, or a description of the action
    double whole_ms = 0;          ///< time until it is completely visible
    double longest_frame_ms = 0;  ///< longest frame until then
};

/// Measures one action after the other in a window with at most 60 frames a second: opens every page and window of the menu
/// Panels that concerns the open file, sorts and filters the table of allocations, and types into the search. Starts after
/// the background work of opening. Main thread only.
Result<std::vector<PageFigures>> measure_pages(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                               const FrameOptions& options);
/// Measures a window with a database of ranks: opens it, sorts its table and filters it. Main thread only.
Result<std::vector<PageFigures>> measure_fleet_pages(const std::string& path, const FrameOptions& options);

}  // namespace snapviewer
