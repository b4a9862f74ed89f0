#pragma once

#include <string>

namespace snapviewer {

/// State of the allocator settings window that persists between frames.
struct SettingsViewState {
    bool is_open = false;
    std::string filter;
};

}  // namespace snapviewer
