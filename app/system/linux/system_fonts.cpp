#include "app/system/system_fonts.h"

#include <fontconfig/fontconfig.h>

#include <memory>
#include <utility>

#include "app/system/late_libraries.h"

namespace snapviewer {
namespace {

template <auto Destroy>
struct Destroyer {
    template <typename T>
    void operator()(T* thing) const {
        Destroy(thing);
    }
};
using Pattern = std::unique_ptr<FcPattern, Destroyer<FcPatternDestroy>>;
using CharSet = std::unique_ptr<FcCharSet, Destroyer<FcCharSetDestroy>>;
using FontSet = std::unique_ptr<FcFontSet, Destroyer<FcFontSetDestroy>>;

std::string text_of(const FcPattern* font, const char* property) {
    FcChar8* text = nullptr;
    if (FcPatternGetString(font, property, 0, &text) != FcResultMatch) return "";
    return reinterpret_cast<const char*>(text);
}

bool is_set(const FcPattern* font, const char* property) {
    FcBool value = FcFalse;
    return FcPatternGetBool(font, property, 0, &value) == FcResultMatch && value != FcFalse;
}

/// True for fonts that Dear ImGui's rasterizer can read: outline fonts without colour and without variable axes.
bool is_usable(const FcPattern* font) {
    const std::string format = text_of(font, FC_FONTFORMAT);
    return (format == "TrueType" || format == "CFF") && is_set(font, FC_OUTLINE) && !is_set(font, FC_COLOR) &&
           !is_set(font, FC_VARIABLE);
}

/// All fonts, sorted by how well they match a monospaced font in the user's language and how many of the characters they
/// contain.
FontSet sorted_fonts(FcCharSet* wanted) {
    const Pattern pattern(FcPatternCreate());
    FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("monospace"));
    FcPatternAddCharSet(pattern.get(), FC_CHARSET, wanted);
    FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
    FcDefaultSubstitute(pattern.get());
    FcResult result = FcResultNoMatch;
    return FontSet(FcFontSort(nullptr, pattern.get(), FcFalse, nullptr, &result));
}

}  // namespace

std::vector<SystemFont> fonts_covering(const std::vector<char32_t>& characters,
                                       const std::function<bool(const SystemFont&)>& can_draw) {
    std::vector<SystemFont> fonts;
    if (characters.empty() || !open_font_library() || FcInit() == FcFalse) return fonts;
    CharSet wanted(FcCharSetCreate());
    for (const char32_t character : characters) FcCharSetAddChar(wanted.get(), character);
    const FontSet sorted = sorted_fonts(wanted.get());
    for (int i = 0; sorted && i < sorted->nfont && FcCharSetCount(wanted.get()) > 0; ++i) {
        const FcPattern* font = sorted->fonts[i];
        FcCharSet* has = nullptr;  // owned by the font
        if (FcPatternGetCharSet(font, FC_CHARSET, 0, &has) != FcResultMatch || !is_usable(font)) continue;
        if (FcCharSetIntersectCount(wanted.get(), has) == 0) continue;
        int index = 0;
        FcPatternGetInteger(font, FC_INDEX, 0, &index);
        // The upper 16 bits select an instance of a variable font.
        SystemFont found{text_of(font, FC_FILE), index & 0xFFFF, text_of(font, FC_FAMILY)};
        if (!can_draw(found)) continue;
        wanted.reset(FcCharSetSubtract(wanted.get(), has));
        fonts.push_back(std::move(found));
    }
    return fonts;
}

const bool k_draws_characters = false;

std::vector<DrawnCharacter> draw_characters(const std::vector<char32_t>& /*characters*/, int /*height_px*/) { return {}; }

}  // namespace snapviewer
