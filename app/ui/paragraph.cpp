#include "app/ui/paragraph.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string_view>

namespace snapviewer {
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

void draw_paragraph(ImU32 colour, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::TextUnformatted(text_in_lines(text, ImGui::GetContentRegionAvail().x).c_str());
    ImGui::PopStyleColor();
}

}  // namespace snapviewer
