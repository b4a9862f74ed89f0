#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The fonts of the current ImGui context: those inside the program, and those of the system for the characters they lack.
/// The fonts live as long as the context; one context at a time, main thread only.
namespace snapviewer {

struct Fonts {
    ImFont* ui = nullptr;        ///< proportional; its digits are all of one width
    ImFont* code = nullptr;      ///< of fixed width, on the same base line
    ImFont* headline = nullptr;  ///< for a line above a page; Latin letters alone, as in `title`
    ImFont* title = nullptr;     ///< for a screen
};

/// Loads the fonts inside the program, for so many pixels per unit of a design of 15 pixels; in place of those that a
/// context has already. What was said by need_characters() stays. Costs a few tens of milliseconds.
void load_fonts(float pixels_per_unit);

/// What these functions know of the fonts of a context.
struct FontState;
struct DeleteFontState {
    void operator()(FontState* state) const;
};
using FontsAside = std::unique_ptr<FontState, DeleteFontState>;
/// Takes what is known away, for a while in which another context is current, or puts it back.
FontsAside exchange_fonts(FontsAside others);

/// Those of now; load_fonts() and refresh_fonts() make others.
const Fonts& fonts();

/// Lets all text be of fixed width while it lives: source lines, SQL, addresses.
class CodeFont {
public:
    CodeFont();
    ~CodeFont() { ImGui::PopFont(); }
    CodeFont(const CodeFont&) = delete;
    CodeFont& operator=(const CodeFont&) = delete;
};

void push_font(ImFont* font);

/// Between the beginning of a frame of ImGui's renderer and of ImGui's own: makes the fonts anew if characters are needed
/// that they lack and the system has fonts for. Costs nothing otherwise.
void refresh_fonts();
/// Another number whenever the fonts were made anew.
std::uint64_t fonts_version();

/// For tests: what the system's fonts were needed for.
struct FallbackReport {
    std::vector<std::string> fonts;  ///< their names
    std::size_t missing = 0;         ///< characters needed that no font has
};
FallbackReport report_fallback();

}  // namespace snapviewer
