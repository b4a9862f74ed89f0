#include "app/ui/fonts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "app/system/system_fonts.h"
#include "app/ui/imgui_backends.h"
#include "app/ui/texts.h"
#include "core/base/input_files.h"

namespace snapviewer::assets {
// NOLINTBEGIN(readability-identifier-naming): CMake generates these names
extern const std::span<const unsigned char> ui_font;
extern const std::span<const unsigned char> headline_font;
extern const std::span<const unsigned char> code_font;
// NOLINTEND(readability-identifier-naming)
}  // namespace snapviewer::assets

namespace snapviewer {

struct FontState {
    float scale = 1;
    std::uint64_t version = 0;
    Fonts fonts;
    CharacterSet needed;
    std::size_t looked_at = 0;          ///< Number of characters of `needed` that were checked so far
    std::vector<char32_t> lacking;      ///< Needed characters that the built-in fonts lack
    std::vector<ImWchar> ranges;        ///< The characters of `lacking` in ImGui's format: pairs of first and last, then 0
    std::vector<SystemFont> fallbacks;  ///< System fonts for the characters of `lacking`
    /// Images of the characters of `lacking` that the system drew, with their rectangle ids in the atlas.
    std::vector<std::pair<int, DrawnCharacter>> drawn;
};

namespace {

constexpr float k_ui_px = 16.0F;
constexpr float k_code_px = 15.0F;      // its letters are as high as those of the interface font
constexpr float k_code_drop_px = 1.0F;  // moves the code font to the base line of the interface font
constexpr float k_headline_px = 23.0F;
constexpr float k_title_px = 32.0F;
/// Maximum number of needed characters, which bounds the size of the font texture. Chinese texts commonly use fewer.
constexpr std::size_t k_max_characters = 12'000;

/// Latin with accents, Greek, Cyrillic, punctuation such as dashes and the ellipsis, arrows and geometric shapes.
constexpr ImWchar k_all[] = {0x20,   0x24f,  0x370,  0x4ff,  0x2010, 0x203a, 0x2190, 0x21ff,
                             0x2200, 0x22ff, 0x25a0, 0x25ff, 0x2713, 0x2717, 0};
constexpr ImWchar k_latin[] = {0x20, 0xff, 0};

FontStateOwner& known() {
    static FontStateOwner instance(new FontState);
    return instance;
}

FontState& state() { return *known(); }

using FontBytes = std::span<const unsigned char>;

/// Adds a built-in font: standalone, or merged into the previous font as a fallback.
ImFont* add_own_font(ImFontAtlas& atlas, FontBytes bytes, float size_px, float drop_px, const ImWchar* ranges,
                     bool is_merged = false) {
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.MergeMode = is_merged;
    config.OversampleH = 2;
    config.OversampleV = 1;
    config.PixelSnapH = true;
    config.GlyphOffset.y = drop_px;
    // ImGui does not write to the data of a font it does not own.
    auto* data = const_cast<unsigned char*>(bytes.data());
    return atlas.AddFontFromMemoryTTF(data, static_cast<int>(bytes.size()), size_px, &config, ranges);
}

/// Adds the glyphs of a system font in these ranges to the font that was added last.
ImFont* merge_system_font(ImFontAtlas& atlas, const SystemFont& font, float size_px, const ImWchar* ranges) {
    if (!PlainFile::open(font.path, PlainFile::Links::follow)) return nullptr;
    ImFontConfig config;
    config.FontNo = font.index;
    config.MergeMode = true;
    config.OversampleH = 1;
    config.OversampleV = 1;
    config.PixelSnapH = true;
    return atlas.AddFontFromFileTTF(font.path.c_str(), size_px, &config, ranges);
}

/// True if ImGui's rasterizer can read the font. With one unreadable font ImGui draws no text at all.
bool can_draw(const SystemFont& font) {
    static constexpr ImWchar k_one[] = {0x20, 0x20, 0};
    ImFontAtlas trial;
    add_own_font(trial, assets::ui_font, k_ui_px, 0, k_one);
    const ImFont* merged = merge_system_font(trial, font, k_ui_px, k_one);
#if IMGUI_VERSION_NUM >= 19200
    return merged != nullptr;
#else
    return merged != nullptr && trial.Build();
#endif
}

#if IMGUI_VERSION_NUM < 19200
/// Adds the missing characters to a font as images that the system draws, if it can.
void add_drawn_characters(ImFontAtlas& atlas, ImFont* font, float size_px) {
    const std::vector<char32_t>& characters = state().lacking;
    const auto height_px = static_cast<int>(size_px);
    std::vector<DrawnCharacter> drawn = draw_characters(characters, height_px);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        const int width_px = drawn[i].width_px;
        const int rect = atlas.AddCustomRectFontGlyph(font, static_cast<ImWchar>(characters[i]), width_px, height_px,
                                                      static_cast<float>(width_px));
        state().drawn.emplace_back(rect, std::move(drawn[i]));
    }
}

/// Copies the characters' images into the rectangles that the atlas reserved for them.
void copy_drawn_characters(ImFontAtlas& atlas) {
    unsigned char* pixels = nullptr;
    int row_px = 0;
    int rows = 0;
    atlas.GetTexDataAsAlpha8(&pixels, &row_px, &rows);
    for (const auto& [index, drawn] : state().drawn) {
        const ImFontAtlasCustomRect& rect = *atlas.GetCustomRectByIndex(index);
        for (int y = 0; y < rect.Height; ++y) {
            const auto row = drawn.coverage.begin() + static_cast<std::ptrdiff_t>(y) * rect.Width;
            std::copy_n(row, rect.Width, pixels + static_cast<std::ptrdiff_t>(rect.Y + y) * row_px + rect.X);
        }
    }
}
#endif

void add_all_fonts() {
    FontState& s = state();
    const auto px = [&s](float units) { return std::round(units * s.scale); };
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    s.fonts.ui = add_own_font(atlas, assets::ui_font, px(k_ui_px), 0, k_all);
    // The code font provides arrows and shapes, which the interface font lacks.
    add_own_font(atlas, assets::code_font, px(k_code_px), px(k_code_drop_px), k_all, true);
    for (const SystemFont& font : s.fallbacks) merge_system_font(atlas, font, px(k_ui_px), s.ranges.data());
    s.fonts.code = add_own_font(atlas, assets::code_font, px(k_code_px), px(k_code_drop_px), k_all);
    for (const SystemFont& font : s.fallbacks) merge_system_font(atlas, font, px(k_code_px), s.ranges.data());
    s.fonts.headline = add_own_font(atlas, assets::headline_font, px(k_headline_px), 0, k_latin);
    s.fonts.title = add_own_font(atlas, assets::headline_font, px(k_title_px), 0, k_latin);
#if IMGUI_VERSION_NUM < 19200
    s.drawn.clear();
    add_drawn_characters(atlas, s.fonts.ui, px(k_ui_px));
    add_drawn_characters(atlas, s.fonts.code, px(k_code_px));
    if (!s.drawn.empty()) copy_drawn_characters(atlas);
#endif
}

bool has_glyph(char32_t character) {
    ImFont& font = *state().fonts.ui;
#if IMGUI_VERSION_NUM >= 19200
    return font.IsGlyphInFont(static_cast<ImWchar>(character));
#else
    if (ImFontAtlas& atlas = *ImGui::GetIO().Fonts; !atlas.IsBuilt()) atlas.Build();
    return font.FindGlyphNoFallback(static_cast<ImWchar>(character)) != nullptr;
#endif
}

bool can_be_shown(char32_t character) { return character <= IM_UNICODE_CODEPOINT_MAX; }

std::vector<ImWchar> ranges_of(std::vector<char32_t> characters) {
    std::ranges::sort(characters);
    std::vector<ImWchar> ranges;
    for (const char32_t character : characters) {
        const auto code = static_cast<ImWchar>(character);
        if (!ranges.empty() && ranges.back() + 1 == code) {
            ranges.back() = code;
        } else {
            ranges.insert(ranges.end(), {code, code});
        }
    }
    ranges.push_back(0);
    return ranges;
}

void make_fonts_anew() {
    ++state().version;
    ImGui::GetIO().Fonts->Clear();
    add_all_fonts();
#if IMGUI_VERSION_NUM < 19200
    // Before the renderer's first frame no texture exists yet.
    if (ImGui::GetIO().BackendRendererUserData == nullptr) return;
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace

void load_fonts(float pixels_per_unit) {
    if (ImGui::GetIO().Fonts->Fonts.empty()) state() = FontState{};  // the ImGui context has changed
    state().scale = pixels_per_unit;
    make_fonts_anew();
}

void DeleteFontState::operator()(FontState* state) const { delete state; }

FontStateOwner exchange_fonts(FontStateOwner others) {
    return std::exchange(known(), others ? std::move(others) : FontStateOwner(new FontState));
}

const Fonts& fonts() { return state().fonts; }
std::uint64_t fonts_version() { return state().version; }

CodeFont::CodeFont() { push_font(fonts().code); }

void push_font(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
    ImGui::PushFont(font, 0.0F);
#else
    ImGui::PushFont(font);
#endif
}

void need_characters(std::string_view text) { state().needed.add(text); }

void need_characters(const CharacterSet& characters) {
    for (const char32_t character : characters.characters()) state().needed.add(character);
}

void need_character(char32_t character) { state().needed.add(character); }

void refresh_fonts() {
    FontState& s = state();
    const std::vector<char32_t>& needed = s.needed.characters();
    const std::size_t before = s.lacking.size();
    for (; s.looked_at < needed.size(); ++s.looked_at) {
        const char32_t character = needed[s.looked_at];
        if (s.lacking.size() < k_max_characters && can_be_shown(character) && !has_glyph(character))
            s.lacking.push_back(character);
    }
    if (s.lacking.size() == before) return;
    s.fallbacks = fonts_covering(s.lacking, can_draw);
    s.ranges = ranges_of(s.lacking);
    if (!s.fallbacks.empty() || k_draws_characters) make_fonts_anew();
}

FallbackReport report_fallback() {
    FallbackReport report;
    for (const SystemFont& font : state().fallbacks) report.fonts.push_back(font.name);
    if (!state().drawn.empty()) report.fonts.emplace_back("drawn by the system");
    report.missing = static_cast<std::size_t>(
        std::ranges::count_if(state().lacking, [](char32_t character) { return !has_glyph(character); }));
    return report;
}

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
