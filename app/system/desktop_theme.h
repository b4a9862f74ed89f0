#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/mesh/greyed.h"

namespace snapviewer {

/// The desktop's preferences for the appearance of programs.
struct DesktopWishes {
    std::optional<Ground> ground;
    std::optional<double> dots_per_inch;
    bool operator==(const DesktopWishes&) const = default;
};

/// Parses the property of an XSETTINGS manager (freedesktop.org): "Net/ThemeName" and "Xft/DPI". Truncated or malformed data
/// ends the parsing; earlier settings count.
DesktopWishes read_xsettings(std::span<const unsigned char> bytes);

/// Parses GTK's settings.ini: gtk-application-prefer-dark-theme, else the name of the theme.
std::optional<Ground> read_gtk_settings(std::string_view text);

}  // namespace snapviewer
