#include "app/window/cut_text.h"

#include "app/window/theme.h"

namespace snapviewer {

void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text) {
    const bool is_cut = pos.x + ImGui::CalcTextSize(text.c_str()).x > right + 1;
    const float end = is_cut ? right - ImGui::CalcTextSize("…").x : right + 1;
    list->PushClipRect(pos, {end, pos.y + 2 * ImGui::GetTextLineHeight()}, true);
    list->AddText(pos, colour, text.c_str());
    list->PopClipRect();
    if (is_cut) list->AddText({end, pos.y}, palette().text_faint, "…");
}

}  // namespace snapviewer
