#include "app/window/cut_text.h"

#include <bit>

#include "app/window/theme.h"
#include "core/base/text.h"

namespace snapviewer {

void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text) {
    const bool is_cut = pos.x + ImGui::CalcTextSize(text.c_str()).x > right + 1;
    const float end = is_cut ? right - ImGui::CalcTextSize("…").x : right + 1;
    list->PushClipRect(pos, {end, pos.y + 2 * ImGui::GetTextLineHeight()}, true);
    list->AddText(pos, colour, text.c_str());
    list->PopClipRect();
    if (is_cut) list->AddText({end, pos.y}, palette().text_faint, "…");
}

std::string cut_in_middle(const std::string& text, float width_px) {
    const auto fits = [&](const std::string& cut) { return ImGui::CalcTextSize(cut.c_str()).x <= width_px; };
    if (fits(text)) return text;
    std::size_t most = 0;
    for (std::size_t step = std::bit_floor(text.size()); step > 0; step /= 2) {
        if (most + step < text.size() && fits(shortened(text, most + step))) most += step;
    }
    return shortened(text, most);
}

}  // namespace snapviewer
