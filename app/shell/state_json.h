#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

struct FrameStats {
    std::uint64_t count = 0;  ///< frames since the start
    double last_ms = 0;       ///< duration of the last frame
};

/// Inputs of the report besides the state.
struct ReportedWindow {
    const std::vector<std::unique_ptr<Feature>>& features;
    const FrameStats& figures;
};

/// Returns the state as JSON, for GUI tests. docs/state-file.md describes the format.
std::string state_json(const AppState& state, const ReportedWindow& window);

}  // namespace snapviewer
