#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/mesh/colours.h"

namespace snapviewer {

/// The desktop's preferences for the appearance of programs.
struct DesktopPreferences {
    std::optional<mesh::ThemeVariant> ground;
    std::optional<double> dots_per_inch;
    bool operator==(const DesktopPreferences&) const = default;
};

/// Parses the property of an XSETTINGS manager (freedesktop.org): "Net/ThemeName" and "Xft/DPI". Truncated or malformed data
/// ends the parsing; earlier settings count.
DesktopPreferences read_xsettings(std::span<const unsigned char> bytes);

/// Parses GTK's settings.ini: gtk-application-prefer-dark-theme, else the name of the theme.
std::optional<mesh::ThemeVariant> read_gtk_settings(std::string_view text);

/// The desktop's preferences, which may change while the program runs. Sources in order of precedence: the settings portal,
/// the settings manager of the X display, and GTK's settings file. The portal is first, because on a dark desktop the
/// settings manager may still name the theme's default variant. Main thread, after GLFW has opened the display.
class Desktop {
public:
    /// `content_scale` is the scale that GLFW reports for the monitor.
    explicit Desktop(float content_scale);
    ~Desktop();
    Desktop(const Desktop&) = delete;
    Desktop& operator=(const Desktop&) = delete;

    /// True if the preferences have changed since the last call. Takes microseconds; checks files once a second at most.
    bool update();
    /// The preferred theme; dark if no source names one.
    mesh::ThemeVariant ground() const { return preferences_.ground.value_or(mesh::ThemeVariant::dark); }
    /// The current text scale relative to the scale at the start of the program, because GLFW reads the scale only once,
    /// when it opens the display.
    float growth() const;
    /// True if a Ctrl key is held, also while another program has the keyboard, such as the source of a drag. Always false
    /// without an X display, because Wayland reports keys only to the focused window.
    bool is_ctrl_held() const;

private:
    class Sources;
    std::unique_ptr<Sources> sources_;
    DesktopPreferences preferences_;
    double first_dots_per_inch_ = 0;
};

}  // namespace snapviewer
