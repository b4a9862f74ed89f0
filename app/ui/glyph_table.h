#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <utility>

namespace snapviewer {

/// A character as it stands in the font texture; lengths in pixels of the font's own size.
struct DrawnGlyph {
    char32_t character = 0;
    float em_px = 0;                               ///< size of the font as typesetters count it
    float ascent_px = 0;                           ///< from the top of a line to its base line
    float left_px = 0, top_px = 0, height_px = 0;  ///< of the ink, from where the character begins at the top of its line
    float advance_px = 0;                          ///< to the next character
    float space_px = 0;                            ///< how wide the font's space is
    bool is_monospaced = false;
};

/// Which characters the letters of a frame are, told by where they lie in the font texture. Of the fonts that are loaded
/// when it is made.
class GlyphTable {
public:
    GlyphTable();
    /// By the texture's coordinates of its upper left corner.
    std::optional<DrawnGlyph> find(ImVec2 uv) const;

private:
    std::map<std::pair<float, float>, DrawnGlyph> glyphs_;
};

}  // namespace snapviewer
