#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Fonts that are installed on this computer. Independent of ImGui.
namespace snapviewer {

struct SystemFont {
    std::string path;
    int index = 0;     ///< index of the font in a file with several fonts
    std::string name;  ///< family name, such as "Noto Sans CJK SC"
};

/// Returns outline fonts that together cover as many of the characters as possible, the best match for the user's language
/// first. Skips fonts for which `can_draw` returns false. May be empty. The first call takes about ten milliseconds. Main
/// thread only.
std::vector<SystemFont> fonts_covering(const std::vector<char32_t>& characters,
                                       const std::function<bool(const SystemFont&)>& can_draw);

/// A character as a bitmap of coverage values, row by row.
struct DrawnCharacter {
    int width_px = 0;
    std::vector<std::uint8_t> coverage;
};

/// True if the system draws characters but does not give access to font files, as in browsers.
extern const bool k_draws_characters;
/// Draws each character into a line of this height. Returns an empty list if !k_draws_characters. Main thread only.
std::vector<DrawnCharacter> draw_characters(const std::vector<char32_t>& characters, int height_px);

}  // namespace snapviewer
