#include "app/ui/drawn_text.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

#include "app/ui/theme.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

/// The maximum number of bytes that can be visible in one line. Longer texts are cut before they are measured, because
/// measuring happens in every frame.
constexpr std::size_t k_max_line_text_bytes = 4096;

}  // namespace

float text_left(float middle, float width, float from, float to) {
    return std::max(from, std::min(middle - width / 2, to - width));
}

void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text) {
    const char* text_end = text.data() + std::min(text.size(), k_max_line_text_bytes);
    const bool is_cut =
        text.size() > k_max_line_text_bytes || pos.x + ImGui::CalcTextSize(text.data(), text_end).x > right + 1;
    const float end = is_cut ? right - ImGui::CalcTextSize("…").x : right + 1;
    list->PushClipRect(pos, {end, pos.y + 2 * ImGui::GetTextLineHeight()}, true);
    list->AddText(pos, colour, text.data(), text_end);
    list->PopClipRect();
    if (is_cut) list->AddText({end, pos.y}, colour, "…");
}

void draw_boxed_text(ImDrawList* list, ImVec2 pos, ImVec2 padding, ImU32 box_colour, ImU32 colour, const std::string& text) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list->AddRectFilled({pos.x - padding.x, pos.y - padding.y}, {pos.x + size.x + padding.x, pos.y + size.y + padding.y},
                        box_colour, scaled(3));
    list->AddText(pos, colour, text.c_str());
}

std::string cut_in_middle(const std::string& text, float width_px) {
    const auto fits = [&](const std::string& cut) { return ImGui::CalcTextSize(cut.c_str()).x <= width_px; };
    if (text.size() > k_max_line_text_bytes) return cut_in_middle(shortened(text, k_max_line_text_bytes), width_px);
    if (fits(text)) return text;
    std::size_t most = 0;
    for (std::size_t step = std::bit_floor(text.size()); step > 0; step /= 2) {
        if (most + step < text.size() && fits(shortened(text, most + step, "…"))) most += step;
    }
    return shortened(text, most, "…");
}

std::string cut_stack_name(const std::string& whole_name, float width_px) {
    constexpr float k_min_letters = 9;
    const std::string name = shortened(whole_name, k_max_line_text_bytes);
    const std::size_t place_end = std::min(name.find(' '), name.size());
    const std::size_t colon = std::string_view(name).substr(0, place_end).rfind(':');
    if (colon == std::string::npos) return cut_in_middle(name, width_px);
    const auto width_of = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
    const float room_for_file = std::max(k_min_letters * width_of("x"), width_px - width_of(name.substr(colon)));
    const std::string place = cut_in_middle(name.substr(0, colon), room_for_file) + name.substr(colon, place_end - colon);
    return place + cut_in_middle(name.substr(place_end), width_px - width_of(place));
}

namespace {

/// Width of a text without rounding to whole pixels, so that the widths of the words add up to that of the line.
float exact_width_of(std::string_view text) {
    const ImFont& font = *ImGui::GetFont();
    return font.CalcTextSizeA(ImGui::GetFontSize(), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

/// Rounds a width up in the same way as ImGui::CalcTextSize().
float in_whole_pixels(float width_px) { return std::floor(width_px + 0.99999F); }

float width_of(std::string_view text) { return in_whole_pixels(exact_width_of(text)); }

/// True if a text is wider than `width_px`. Measures the beginning of a long text first, which mostly decides.
bool is_wider(std::string_view text, float width_px) {
    constexpr std::size_t k_beginning_bytes = 512;
    return width_of(text.substr(0, k_beginning_bytes)) > width_px ||
           (text.size() > k_beginning_bytes && width_of(text) > width_px);
}

/// Number of bytes of a word that fit into one line if the word itself is wider than a line; at least one character. A path
/// or a name is broken after a separator if possible.
std::size_t fitting_bytes(std::string_view word, float width_px) {
    const auto begins_character = [&](std::size_t at) { return at >= word.size() || (word[at] & 0xC0) != 0x80; };
    std::size_t fitting = 0;
    for (std::size_t at = 1; at <= word.size(); ++at) {
        if (!begins_character(at)) continue;
        if (fitting > 0 && width_of(word.substr(0, at)) > width_px) break;
        fitting = at;
    }
    const std::size_t mark = word.substr(0, fitting).find_last_of("/@.:(");
    return fitting < word.size() && mark != std::string_view::npos && mark > fitting / 3 ? mark + 1 : fitting;
}

}  // namespace

std::string text_in_lines(const std::string& text, float width_px) {
    std::string lines;
    float line_px = 0;
    const float space_px = exact_width_of(" ");
    const auto break_line = [&] {
        lines += '\n';
        line_px = 0;
    };
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t word_end = std::min(rest.find_first_of(" \n"), rest.size());
        std::string_view word = rest.substr(0, word_end);
        if (line_px > 0 && is_wider(word, width_px - in_whole_pixels(line_px))) {
            if (lines.back() == ' ') lines.pop_back();
            break_line();
        }
        while (is_wider(word, width_px) && fitting_bytes(word, width_px) < word.size()) {
            const std::size_t fitting = fitting_bytes(word, width_px);
            lines += word.substr(0, fitting);
            break_line();
            word.remove_prefix(fitting);
        }
        lines += word;
        if (word_end == rest.size()) break;
        if (rest[word_end] == '\n') {
            break_line();
        } else {
            lines += ' ';
            line_px += exact_width_of(word) + space_px;
        }
        rest.remove_prefix(word_end + 1);
    }
    return lines;
}

void coloured_text(ImU32 colour, std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopStyleColor();
}

void dim_text(std::string_view text) { coloured_text(palette().text_dim, text); }

void wrapped_text(ImU32 colour, std::string_view text) {
    ImGui::PushTextWrapPos(0);
    coloured_text(colour, text);
    ImGui::PopTextWrapPos();
}

void draw_paragraph(ImU32 colour, const std::string& text) {
    coloured_text(colour, text_in_lines(text, ImGui::GetContentRegionAvail().x));
}

}  // namespace snapviewer
