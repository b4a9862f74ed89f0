#pragma once

#include <memory>

#include "app/system/desktop_theme.h"

namespace snapviewer {

/// What the desktop wishes, also when it changes its mind while the program runs: by its settings portal, else by the
/// settings manager of the X display, else by GTK's settings file. The portal goes first: of a desktop that is dark the
/// manager may still name the theme that is both. Main thread, after GLFW has opened the display.
class Desktop {
public:
    /// `content_scale` is what GLFW found the monitor to be.
    explicit Desktop(float content_scale);
    ~Desktop();
    Desktop(const Desktop&) = delete;
    Desktop& operator=(const Desktop&) = delete;

    /// Whether it wishes something else than before. Costs microseconds; looks at files once a second at most.
    bool update();
    /// Dark where nobody says.
    Ground ground() const { return wishes_.ground.value_or(Ground::dark); }
    /// How much larger everything should be than when the program began. GLFW asks once, when it opens the display.
    float growth() const;
    /// Whether a Ctrl key is held now, also while another program has the keyboard, as the source of a drag does. False
    /// where there is no X display: Wayland tells a window no keys but its own.
    bool is_ctrl_held() const;

private:
    class Sources;
    std::unique_ptr<Sources> sources_;
    DesktopWishes wishes_;
    double first_dots_per_inch_ = 0;
};

}  // namespace snapviewer
