#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The fonts of the current ImGui context: the built-in ones, and system fonts for characters that these lack. The fonts
/// live as long as the context. Use one context at a time, on the main thread.
namespace snapviewer {

struct Fonts {
    ImFont* ui = nullptr;        ///< Proportional, with digits of equal width
    ImFont* code = nullptr;      ///< Fixed width, on the same base line as `ui`
    ImFont* headline = nullptr;  ///< Font of a page's headline; only has Latin letters, like `title`
    ImFont* title = nullptr;     ///< Font of the headline of a full-window screen
};

/// Loads the built-in fonts at this number of framebuffer pixels per pixel of the design. Replaces the fonts that the
/// context has. The characters of need_characters() stay known. Takes a few tens of milliseconds.
void load_fonts(float pixels_per_unit);

/// Data about the fonts of one context.
struct FontState;
struct DeleteFontState {
    void operator()(FontState* state) const;
};
using FontStateOwner = std::unique_ptr<FontState, DeleteFontState>;
/// Replaces the font state while another ImGui context is current, and returns the previous one. Call it again to restore
/// that.
FontStateOwner exchange_fonts(FontStateOwner others);

/// The current fonts. load_fonts() and refresh_fonts() replace them.
const Fonts& fonts();

/// RAII: draws all text in the fixed-width font, for source lines, SQL and addresses.
class CodeFont {
public:
    CodeFont();
    ~CodeFont() { ImGui::PopFont(); }
    CodeFont(const CodeFont&) = delete;
    CodeFont& operator=(const CodeFont&) = delete;
};

void push_font(ImFont* font);

/// Rebuilds the fonts if needed characters lack glyphs and system fonts have them; otherwise costs nothing. Call it between
/// NewFrame() of the renderer's backend and ImGui::NewFrame().
void refresh_fonts();
/// Changes whenever the fonts are rebuilt.
std::uint64_t fonts_version();

/// The system fonts that are used as fallbacks.
struct FallbackReport {
    std::vector<std::string> fonts;  ///< Font names
    std::size_t missing = 0;         ///< Number of needed characters that no font contains
};
FallbackReport report_fallback();

/// A character as it was drawn into the font texture. Lengths are in pixels of the font's own size.
struct DrawnGlyph {
    char32_t character = 0;
    float em_px = 0;      ///< size of the font's em square
    float ascent_px = 0;  ///< distance from the top of a line to its base line
    /// Extent of the visible shape, relative to the upper left corner of the character's cell.
    float left_px = 0, top_px = 0, height_px = 0;
    float advance_px = 0;  ///< distance to the next character
    float space_px = 0;    ///< width of the font's space character
    bool is_monospaced = false;
};

/// Maps positions in the font texture to characters, so that the text of a frame can be recovered from its triangles. Covers
/// the fonts that are loaded at its construction.
class GlyphTable {
public:
    GlyphTable();
    /// Looks a glyph up by the texture coordinates of its upper left corner.
    std::optional<DrawnGlyph> find(ImVec2 uv) const;

private:
    std::map<std::pair<float, float>, DrawnGlyph> glyphs_;
};

}  // namespace snapviewer
