#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/measured_window.h"

namespace snapviewer {

/// A page, a window or a list that was opened, or arranged in another way.
struct PageFigures {
    std::string name;             ///< of the command, or what was done
    double whole_ms = 0;          ///< until all of it is there
    double longest_frame_ms = 0;  ///< in between
};

/// Does one thing after the other, in a window that draws at most 60 frames a second: opens every page and window of the
/// menu Panels that is about the open file, sorts and filters the table of allocations, and types into the search. Begins
/// once what opening sets going in the background is over. Main thread only.
Result<std::vector<PageFigures>> measure_pages(const std::shared_ptr<const Document>& document, std::size_t device_index,
                                               const FrameOptions& options);
/// The same for a database of ranks: opens it, sorts its table and filters it.
Result<std::vector<PageFigures>> measure_fleet_pages(const std::string& path, const FrameOptions& options);

}  // namespace snapviewer
