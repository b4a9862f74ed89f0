#include "app/system/system_fonts.h"

#include <emscripten.h>

namespace snapviewer {
namespace {

constexpr int k_max_widths = 3;  // maximum width of a character, in multiples of its height

}  // namespace

/// Always empty: a page may use the system's fonts but cannot read their files.
std::vector<SystemFont> fonts_covering(const std::vector<char32_t>& /*characters*/,
                                       const std::function<bool(const SystemFont&)>& /*can_draw*/) {
    return {};
}

const bool k_draws_characters = true;

std::vector<DrawnCharacter> draw_characters(const std::vector<char32_t>& characters, int height_px) {
    std::vector<DrawnCharacter> drawn;
    const int most_px = height_px * k_max_widths;
    std::vector<std::uint8_t> room(static_cast<std::size_t>(most_px) * static_cast<std::size_t>(height_px));
    for (const char32_t character : characters) {
        const int width_px = EM_ASM_INT({ return Module["drawCharacter"]($0, $1, $2, $3); }, static_cast<int>(character),
                                        height_px, most_px, room.data());
        const auto pixels = static_cast<std::ptrdiff_t>(width_px) * height_px;
        drawn.push_back({width_px, {room.begin(), room.begin() + pixels}});
    }
    return drawn;
}

}  // namespace snapviewer
