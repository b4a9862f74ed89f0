#include "app/ui/glyph_table.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace snapviewer {
namespace {

/// A TrueType font file: a directory of tables. All numbers are big-endian.
class FontFile {
public:
    explicit FontFile(std::span<const unsigned char> bytes) : bytes_(bytes) {}

    /// The size of the em square divided by the height of a line, which ImGui calls a font's size; 1 if the file lacks these
    /// numbers.
    float em_per_line() const {
        const std::size_t head = table("head"), hhea = table("hhea");
        if (head == 0 || hhea == 0) return 1;
        const int line = static_cast<std::int16_t>(number(hhea + 4, 2)) - static_cast<std::int16_t>(number(hhea + 6, 2));
        const std::uint32_t em = number(head + 18, 2);
        return line > 0 && em > 0 ? static_cast<float>(em) / static_cast<float>(line) : 1;
    }

private:
    std::uint32_t number(std::size_t at, std::size_t size) const {
        std::uint32_t value = 0;
        for (std::size_t i = at; i < at + size; ++i) value = value << 8U | (i < bytes_.size() ? bytes_[i] : 0U);
        return value;
    }
    /// Offset of a table, or 0 if the file does not have it.
    std::size_t table(const char* name) const {
        const std::uint32_t count = number(4, 2);
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::size_t entry = 12 + 16 * std::size_t{i};
            if (entry + 16 <= bytes_.size() && std::memcmp(bytes_.data() + entry, name, 4) == 0) return number(entry + 8, 4);
        }
        return 0;
    }

    std::span<const unsigned char> bytes_;
};

FontFile file_of(const ImFontConfig& config) {
    return FontFile({static_cast<const unsigned char*>(config.FontData), static_cast<std::size_t>(config.FontDataSize)});
}

#if IMGUI_VERSION_NUM >= 19200
struct FontMetrics {
    explicit FontMetrics(ImFont& font) : baked(*font.GetFontBaked(font.LegacySize)) {}
    ImFontBaked& baked;
    float em_px() const { return baked.Size * file_of(*baked.OwnerFont->Sources[0]).em_per_line(); }
    float ascent_px() const { return baked.Ascent; }
    float advance_px(char c) const { return baked.GetCharAdvance(static_cast<ImWchar>(c)); }
    const ImVector<ImFontGlyph>& glyphs() const { return baked.Glyphs; }
};
#else
struct FontMetrics {
    explicit FontMetrics(const ImFont& of) : font(of) {}
    const ImFont& font;
    float em_px() const { return font.FontSize * file_of(*font.ConfigData).em_per_line(); }
    float ascent_px() const { return font.Ascent; }
    float advance_px(char c) const { return font.GetCharAdvance(static_cast<ImWchar>(c)); }
    const ImVector<ImFontGlyph>& glyphs() const { return font.Glyphs; }
};
#endif

}  // namespace

GlyphTable::GlyphTable() {
    for (ImFont* font : ImGui::GetIO().Fonts->Fonts) {
        const FontMetrics metrics(*font);
        const float em_px = metrics.em_px();
        const bool is_monospaced = metrics.advance_px('i') == metrics.advance_px('W');
        for (const ImFontGlyph& glyph : metrics.glyphs()) {
            if (!glyph.Visible) continue;
            glyphs_[{glyph.U0, glyph.V0}] = {
                glyph.Codepoint,     em_px,          metrics.ascent_px(),     glyph.X0,     glyph.Y0,
                glyph.Y1 - glyph.Y0, glyph.AdvanceX, metrics.advance_px(' '), is_monospaced};
        }
    }
}

std::optional<DrawnGlyph> GlyphTable::find(ImVec2 uv) const {
    const auto found = glyphs_.find({uv.x, uv.y});
    return found == glyphs_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace snapviewer
