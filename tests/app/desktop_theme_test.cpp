#include "app/system/desktop.h"

#include <gtest/gtest.h>

#include <vector>

namespace snapviewer::desktop_theme_test {
namespace {

using Bytes = std::vector<unsigned char>;

/// A property written by hand from the XSETTINGS specification: Net/ThemeName "Adwaita-dark", a colour, and Xft/DPI 192.
const Bytes k_lowest_first = {0, 0, 0, 0,              // little-endian
                              9, 0, 0, 0, 3, 0, 0, 0,  // serial number, number of settings
                              // A string setting and its name.
                              1, 0, 13, 0, 'N', 'e', 't', '/', 'T', 'h', 'e', 'm', 'e', 'N', 'a', 'm', 'e', 0, 0, 0, 4, 0, 0,
                              0, 12, 0, 0, 0, 'A', 'd', 'w', 'a', 'i', 't', 'a', '-', 'd', 'a', 'r', 'k', 2, 0, 1, 0, 'C', 0,
                              0, 0, 4, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,                                   // colour
                              0, 0, 7, 0, 'X', 'f', 't', '/', 'D', 'P', 'I', 0, 4, 0, 0, 0, 0, 0, 3, 0};  // 192 * 1024

TEST(DesktopTheme, ReadsWhatASettingsManagerSays) {
    const DesktopPreferences wishes = read_xsettings(k_lowest_first);
    EXPECT_EQ(wishes.ground, mesh::ThemeVariant::dark);
    EXPECT_EQ(wishes.dots_per_inch, 192.0);
}

TEST(DesktopTheme, ReadsTheOtherByteOrder) {
    const Bytes highest_first = {1,   0,   0,   0,   0,   0,   0,   9, 0, 0, 0, 1, 0, 0, 0,    7,
                                 'X', 'f', 't', '/', 'D', 'P', 'I', 0, 0, 0, 0, 4, 0, 1, 0x80, 0};
    EXPECT_EQ(read_xsettings(highest_first).dots_per_inch, 96.0);
}

TEST(DesktopTheme, ABrokenPropertySaysNothingFromThereOn) {
    for (std::size_t size = 0; size < k_lowest_first.size(); ++size) {
        const DesktopPreferences wishes = read_xsettings(std::span(k_lowest_first).first(size));
        EXPECT_EQ(wishes.dots_per_inch, std::nullopt) << size;
        EXPECT_EQ(wishes.ground.has_value(), size >= 52) << size;
    }
    Bytes endless = k_lowest_first;
    endless[8] = endless[9] = endless[10] = endless[11] = 0xff;  // more settings than the bytes can contain
    EXPECT_EQ(read_xsettings(endless).dots_per_inch, 192.0);
    endless[36] = endless[37] = endless[38] = endless[39] = 0xff;  // a text longer than the whole property
    EXPECT_EQ(read_xsettings(endless), DesktopPreferences{});
}

TEST(DesktopTheme, ReadsGtksFile) {
    EXPECT_EQ(read_gtk_settings("[Settings]\ngtk-theme-name=Yaru-blue-Dark\n"), mesh::ThemeVariant::dark);
    EXPECT_EQ(read_gtk_settings("[Settings]\r\ngtk-theme-name = \"Breeze\"\r\n"), mesh::ThemeVariant::light);
    EXPECT_EQ(read_gtk_settings("gtk-theme-name=Breeze\ngtk-application-prefer-dark-theme=true"), mesh::ThemeVariant::dark);
    EXPECT_EQ(read_gtk_settings("gtk-application-prefer-dark-theme=0\ngtk-theme-name=Breeze"), mesh::ThemeVariant::light);
    EXPECT_EQ(read_gtk_settings("gtk-application-prefer-dark-theme=0\ngtk-font-name=Sans 10"), std::nullopt);
    EXPECT_EQ(read_gtk_settings("\0\n=\n"), std::nullopt);
}

}  // namespace
}  // namespace snapviewer::desktop_theme_test
