#include "app/features/findings/capacity_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/cut_text.h"
#include "app/ui/state_report.h"
#include "app/ui/stripes.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

std::uint64_t total_of(const std::vector<CapacityPart>& parts) {
    std::uint64_t total = 0;
    for (const CapacityPart& part : parts) total += part.bytes;
    return total;
}

std::string part_text(const CapacityPart& part, std::uint64_t total) {
    return fmt::format("{}, {:.1f} %", format_bytes(part.bytes),
                       total == 0 ? 0.0 : 100 * static_cast<double>(part.bytes) / static_cast<double>(total));
}

}  // namespace

void draw_capacity_bar(const char* id, const std::vector<CapacityPart>& parts, std::uint64_t whole_bytes) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, scaled(16));
    ImGui::Dummy(size);
    report_rect(id);
    ImDrawList* list = ImGui::GetWindowDrawList();
    double before = 0;
    for (const CapacityPart& part : parts) {
        const auto at = [&](double bytes) {
            return pos.x + static_cast<float>(bytes / static_cast<double>(whole_bytes)) * size.x;
        };
        const ImVec2 min(at(before), pos.y);
        before += static_cast<double>(part.bytes);
        const ImVec2 max(std::max(at(before), min.x + 1), pos.y + size.y);
        list->AddRectFilled(min, max, part.colour);
        if (part.is_striped) draw_stripes(list, min, max, k_stripe_ink);
        if (is_mouse_at({min, max}))
            tooltip_beside({min, max}, fmt::format("{}: {}", part.name, format_bytes_exactly(part.bytes)));
    }
}

void draw_amount_row(const std::string& name, const std::string& amount, float indent, ImU32 name_colour,
                     ImFont* name_font) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float right = pos.x + ImGui::GetContentRegionAvail().x;
    ImGui::Dummy({right - pos.x, ImGui::GetTextLineHeight()});
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float amount_left = right - ImGui::CalcTextSize(amount.c_str()).x;
    push_font(name_font);
    const float room = amount_left - scaled(8) - pos.x - indent;
    list->AddText({pos.x + indent, pos.y}, name_colour, cut_in_middle(name, room).c_str());
    ImGui::PopFont();
    list->AddText({amount_left, pos.y}, palette().text_dim, amount.c_str());
}

namespace {

void draw_names(const std::vector<CapacityPart>& parts, std::uint64_t total) {
    for (const CapacityPart& part : parts) {
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float side = scaled(10);
        const ImVec2 min(pos.x, pos.y + (ImGui::GetTextLineHeight() - side) / 2);
        const ImVec2 max(min.x + side, min.y + side);
        ImGui::GetWindowDrawList()->AddRectFilled(min, max, part.colour, scaled(2));
        if (part.is_striped) draw_stripes(ImGui::GetWindowDrawList(), min, max, k_stripe_ink);
        draw_amount_row(part.name, part_text(part, total), scaled(16), palette().text);
    }
}

}  // namespace

void draw_capacity_parts(const std::vector<CapacityPart>& parts) {
    const std::uint64_t total = total_of(parts);
    if (total == 0) return;
    draw_capacity_bar("oom_bar", parts, total);
    draw_names(parts, total);
    draw_amount_row("total", format_bytes(total), scaled(16), palette().text_dim);
}

}  // namespace snapviewer
