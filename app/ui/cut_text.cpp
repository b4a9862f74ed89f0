#include "app/ui/cut_text.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "app/ui/theme.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

/// The maximum number of bytes that can be visible in one line. Longer texts are cut before they are measured, because
/// measuring happens in every frame.
constexpr std::size_t k_widest_bytes = 4096;

}  // namespace

float text_left(float middle, float width, float from, float to) {
    return std::max(from, std::min(middle - width / 2, to - width));
}

void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text) {
    const char* text_end = text.data() + std::min(text.size(), k_widest_bytes);
    const bool is_cut = text.size() > k_widest_bytes || pos.x + ImGui::CalcTextSize(text.data(), text_end).x > right + 1;
    const float end = is_cut ? right - ImGui::CalcTextSize("…").x : right + 1;
    list->PushClipRect(pos, {end, pos.y + 2 * ImGui::GetTextLineHeight()}, true);
    list->AddText(pos, colour, text.data(), text_end);
    list->PopClipRect();
    if (is_cut) list->AddText({end, pos.y}, colour, "…");
}

std::string cut_in_middle(const std::string& text, float width_px) {
    const auto fits = [&](const std::string& cut) { return ImGui::CalcTextSize(cut.c_str()).x <= width_px; };
    if (text.size() > k_widest_bytes) return cut_in_middle(shortened(text, k_widest_bytes), width_px);
    if (fits(text)) return text;
    std::size_t most = 0;
    for (std::size_t step = std::bit_floor(text.size()); step > 0; step /= 2) {
        if (most + step < text.size() && fits(shortened(text, most + step, "…"))) most += step;
    }
    return shortened(text, most, "…");
}

std::string cut_stack_name(const std::string& whole_name, float width_px) {
    constexpr float k_least_letters = 9;
    const std::string name = shortened(whole_name, k_widest_bytes);
    const std::size_t place_end = std::min(name.find(' '), name.size());
    const std::size_t colon = std::string_view(name).substr(0, place_end).rfind(':');
    if (colon == std::string::npos) return cut_in_middle(name, width_px);
    const auto width_of = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
    const float room_for_file = std::max(k_least_letters * width_of("x"), width_px - width_of(name.substr(colon)));
    const std::string place = cut_in_middle(name.substr(0, colon), room_for_file) + name.substr(colon, place_end - colon);
    return place + cut_in_middle(name.substr(place_end), width_px - width_of(place));
}

}  // namespace snapviewer
