#pragma once

#include <string>

namespace snapviewer {

/// The window of allocator settings between two frames.
struct SettingsViewState {
    bool is_open = false;
    std::string filter;
};

}  // namespace snapviewer
