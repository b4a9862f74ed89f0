#pragma once

#include <imgui.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/characters.h"

/// The fonts of the current ImGui context: the one inside the program, and those of the system for the characters it lacks.
/// The fonts live as long as the context; one context at a time, main thread only.
namespace snapviewer {

inline constexpr float k_font_px = 15.0F;

struct Fonts {
    ImFont* ui = nullptr;
    ImFont* title = nullptr;
};

/// Loads the font inside the program into a new context. `content_scale` is the monitor's.
void load_fonts(float content_scale);

/// Those of now; refresh_fonts() makes others.
const Fonts& fonts();

/// Says that such text is shown from the next frame on.
void need_characters(std::string_view text);
void need_characters(const CharacterSet& characters);
void need_character(char32_t character);  ///< beyond ASCII

/// Between the beginning of a frame of ImGui's renderer and of ImGui's own: makes the fonts anew if characters are needed
/// that they lack and the system has fonts for. Costs nothing otherwise.
void refresh_fonts();

/// For tests: what the system's fonts were needed for.
struct FallbackReport {
    std::vector<std::string> fonts;  ///< their names
    std::size_t missing = 0;         ///< characters needed that no font has
};
FallbackReport report_fallback();

}  // namespace snapviewer
