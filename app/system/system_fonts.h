#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// The fonts that this computer has. No GUI in here.
namespace snapviewer {

struct SystemFont {
    std::string path;
    int index = 0;     ///< within a file of several fonts
    std::string name;  ///< "Noto Sans CJK SC"
};

/// Outline fonts that together have as many of the characters as can be had, the most fitting for the user's language first.
/// Those that `can_draw` says no to are passed over. Empty where there are none. Takes some ten milliseconds the first time.
/// Main thread only.
std::vector<SystemFont> fonts_covering(const std::vector<char32_t>& characters,
                                       const std::function<bool(const SystemFont&)>& can_draw);

/// A character as pixels: how much of each it covers, row by row.
struct DrawnCharacter {
    int width_px = 0;
    std::vector<std::uint8_t> coverage;
};

/// Whether the system draws characters but keeps its fonts to itself, as browsers do.
extern const bool k_draws_characters;
/// Each of them in a line of that height; where it does not, none. Main thread only.
std::vector<DrawnCharacter> draw_characters(const std::vector<char32_t>& characters, int height_px);

}  // namespace snapviewer
