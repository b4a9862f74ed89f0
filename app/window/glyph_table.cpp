#include "app/window/glyph_table.h"

namespace snapviewer {
namespace {

#if IMGUI_VERSION_NUM >= 19200
struct FontMetrics {
    explicit FontMetrics(ImFont& font) : baked(*font.GetFontBaked(font.LegacySize)) {}
    ImFontBaked& baked;
    float size_px() const { return baked.Size; }
    float ascent_px() const { return baked.Ascent; }
    float advance_px(char c) const { return baked.GetCharAdvance(static_cast<ImWchar>(c)); }
    const ImVector<ImFontGlyph>& glyphs() const { return baked.Glyphs; }
};
#else
struct FontMetrics {
    explicit FontMetrics(const ImFont& of) : font(of) {}
    const ImFont& font;
    float size_px() const { return font.FontSize; }
    float ascent_px() const { return font.Ascent; }
    float advance_px(char c) const { return font.GetCharAdvance(static_cast<ImWchar>(c)); }
    const ImVector<ImFontGlyph>& glyphs() const { return font.Glyphs; }
};
#endif

}  // namespace

GlyphTable::GlyphTable() {
    for (ImFont* font : ImGui::GetIO().Fonts->Fonts) {
        const FontMetrics metrics(*font);
        const bool is_monospaced = metrics.advance_px('i') == metrics.advance_px('W');
        for (const ImFontGlyph& glyph : metrics.glyphs()) {
            if (!glyph.Visible) continue;
            glyphs_[{glyph.U0, glyph.V0}] = {
                glyph.Codepoint,     metrics.size_px(), metrics.ascent_px(),     glyph.X0,     glyph.Y0,
                glyph.Y1 - glyph.Y0, glyph.AdvanceX,    metrics.advance_px(' '), is_monospaced};
        }
    }
}

std::optional<DrawnGlyph> GlyphTable::find(ImVec2 uv) const {
    const auto found = glyphs_.find({uv.x, uv.y});
    return found == glyphs_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace snapviewer
