#pragma once

namespace snapviewer {

/// Open windows of the Help menu.
struct HelpState {
    bool shows_keys = false;
    bool shows_about = false;
};

}  // namespace snapviewer
