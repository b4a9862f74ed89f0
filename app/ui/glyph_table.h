#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <utility>

namespace snapviewer {

/// A character as it was drawn into the font texture. Lengths are in pixels of the font's own size.
struct DrawnGlyph {
    char32_t character = 0;
    float em_px = 0;      ///< size of the font in the sense of typography
    float ascent_px = 0;  ///< distance from the top of a line to its base line
    /// extent of the ink, relative to the top left corner of the character's cell.
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
