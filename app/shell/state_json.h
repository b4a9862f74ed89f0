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
    double last_ms = 0;       ///< what the last one took
};

/// What the report is made of besides the state.
struct ReportedWindow {
    const std::vector<std::unique_ptr<Feature>>& features;
    const FrameStats& figures;
};

/// The state as JSON, for tests that drive the window. The format is described in docs/state-file.md.
std::string state_json(const AppState& state, const ReportedWindow& window);

}  // namespace snapviewer
