#include "app/system/system_fonts.h"

#include <dwrite.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>

namespace snapviewer {
namespace {

struct Release {
    void operator()(IUnknown* object) const { object->Release(); }
};
template <typename T>
using Com = std::unique_ptr<T, Release>;

/// Calls a function that returns an object through its last argument; null if the call fails.
template <typename T, typename Call>
Com<T> made_by(Call call) {
    T* object = nullptr;
    return Com<T>(SUCCEEDED(call(&object)) ? object : nullptr);
}

/// The fonts that Windows itself uses as fallbacks, in this order. All other fonts come after them.
constexpr std::array<std::wstring_view, 7> k_preferred = {L"Segoe UI",       L"Microsoft YaHei UI", L"Microsoft JhengHei UI",
                                                          L"Yu Gothic UI",   L"Malgun Gothic",      L"Nirmala UI",
                                                          L"Segoe UI Symbol"};

std::wstring name_of(IDWriteFontFamily& family) {
    const auto names = made_by<IDWriteLocalizedStrings>([&](auto** to) { return family.GetFamilyNames(to); });
    UINT32 length = 0;
    if (!names || names->GetCount() == 0 || FAILED(names->GetStringLength(0, &length))) return {};
    std::wstring name(length + 1, L'\0');
    names->GetString(0, name.data(), length + 1);
    name.resize(length);
    return name;
}

/// The path of the font's file; empty if the font is not in a single local file.
std::wstring path_of(IDWriteFontFace& face) {
    UINT32 count = 1;
    IDWriteFontFile* file_pointer = nullptr;
    if (FAILED(face.GetFiles(&count, &file_pointer)) || count != 1) return {};
    const Com<IDWriteFontFile> file(file_pointer);
    const void* key = nullptr;
    UINT32 key_size = 0, length = 0;
    if (FAILED(file->GetReferenceKey(&key, &key_size))) return {};
    const auto loader = made_by<IDWriteFontFileLoader>([&](auto** to) { return file->GetLoader(to); });
    const auto local = made_by<IDWriteLocalFontFileLoader>([&](auto** to) {
        return loader ? loader->QueryInterface(__uuidof(IDWriteLocalFontFileLoader), reinterpret_cast<void**>(to)) : E_FAIL;
    });
    if (!local || FAILED(local->GetFilePathLengthFromKey(key, key_size, &length))) return {};
    std::wstring path(length + 1, L'\0');
    local->GetFilePathFromKey(key, key_size, path.data(), length + 1);
    path.resize(length);
    return path;
}

struct Family {
    std::wstring name;
    Com<IDWriteFont> font;
};

std::vector<Family> all_families(IDWriteFontCollection& fonts) {
    std::vector<Family> families;
    for (UINT32 i = 0; i < fonts.GetFontFamilyCount(); ++i) {
        const auto family = made_by<IDWriteFontFamily>([&](auto** to) { return fonts.GetFontFamily(i, to); });
        if (!family) continue;
        auto font = made_by<IDWriteFont>([&](auto** to) {
            return family->GetFirstMatchingFont(DWRITE_FONT_WEIGHT_NORMAL, DWRITE_FONT_STRETCH_NORMAL,
                                                DWRITE_FONT_STYLE_NORMAL, to);
        });
        if (font) families.push_back({name_of(*family), std::move(font)});
    }
    std::ranges::stable_sort(families, {}, [](const Family& each) { return std::ranges::find(k_preferred, each.name); });
    return families;
}

bool has_character(IDWriteFont& font, char32_t character) {
    BOOL has = FALSE;
    return SUCCEEDED(font.HasCharacter(character, &has)) && has != FALSE;
}

}  // namespace

std::vector<SystemFont> fonts_covering(const std::vector<char32_t>& characters,
                                       const std::function<bool(const SystemFont&)>& can_draw) {
    const auto factory = made_by<IUnknown>(
        [](auto** to) { return ::DWriteCreateFactory(DWRITE_FACTORY_TYPE_SHARED, __uuidof(IDWriteFactory), to); });
    const auto fonts = made_by<IDWriteFontCollection>([&](auto** to) {
        return factory ? static_cast<IDWriteFactory*>(factory.get())->GetSystemFontCollection(to, FALSE) : E_FAIL;
    });
    std::vector<SystemFont> chosen;
    std::vector<char32_t> wanted = characters;
    if (!fonts) return chosen;
    for (const Family& family : all_families(*fonts)) {
        if (wanted.empty()) break;
        const auto is_drawn = [&](char32_t character) { return has_character(*family.font, character); };
        if (std::ranges::none_of(wanted, is_drawn)) continue;
        const auto face = made_by<IDWriteFontFace>([&](auto** to) { return family.font->CreateFontFace(to); });
        const std::wstring path = face ? path_of(*face) : std::wstring();
        if (path.empty()) continue;
        SystemFont found{std::filesystem::path(path).string(), static_cast<int>(face->GetIndex()),
                         std::filesystem::path(family.name).string()};
        if (!can_draw(found)) continue;
        std::erase_if(wanted, is_drawn);
        chosen.push_back(std::move(found));
    }
    return chosen;
}

const bool k_draws_characters = false;

std::vector<DrawnCharacter> draw_characters(const std::vector<char32_t>& /*characters*/, int /*height_px*/) { return {}; }

}  // namespace snapviewer
