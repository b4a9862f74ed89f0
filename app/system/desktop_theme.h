#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/mesh/greyed.h"

namespace snapviewer {

/// What a desktop says to its programs of how they should look.
struct DesktopWishes {
    std::optional<Ground> ground;
    std::optional<double> dots_per_inch;
    bool operator==(const DesktopWishes&) const = default;
};

/// Of the property that a settings manager keeps (freedesktop.org's XSETTINGS): "Net/ThemeName" and "Xft/DPI". What is
/// broken off or malformed says nothing from there on.
DesktopWishes read_xsettings(std::span<const unsigned char> bytes);

/// Of GTK's settings.ini: gtk-application-prefer-dark-theme, or the name of the theme.
std::optional<Ground> read_gtk_settings(std::string_view text);

}  // namespace snapviewer
