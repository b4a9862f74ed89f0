#pragma once

namespace snapviewer {

/// The windows of the menu Help.
struct HelpState {
    bool shows_keys = false;
    bool shows_about = false;
};

}  // namespace snapviewer
