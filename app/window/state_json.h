#pragma once

#include <cstdint>
#include <string>

#include "app/state/app_state.h"
#include "app/state/file_opener.h"
#include "app/state/pictures.h"

namespace snapviewer {

struct FrameStats {
    std::uint64_t count = 0;  ///< frames since the start
    double last_ms = 0;       ///< what the last one took
};

/// The state as JSON, for tests that drive the window. The format is described in docs/testing.md.
std::string state_json(const AppState& state, const Pictures& pictures, const FileOpener& opener, const FrameStats& figures);

}  // namespace snapviewer
