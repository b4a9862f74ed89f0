#include <fmt/format.h>
#include <imgui.h>

#include "app/features/details/stacks.h"
#include "app/features/timeline/stack_names.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

namespace snapviewer::details {
namespace {

/// Minimum width of a column that shows counts. In a narrower one, the names need the room.
constexpr float k_min_width_with_counts_px = 380;

/// Draws a row of the list. Returns true if it was clicked.
bool draw_stack_row(const StackList& list, std::size_t row, bool is_chosen, const std::string& rect) {
    const StackTotal& total = list.totals[row];
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushID(static_cast<int>(row));
    const bool is_clicked = ImGui::Selectable("##stack", is_chosen);
    observe_item(rect);
    ImGui::PopID();
    if (ImGui::IsItemHovered())
        row_tooltip(fmt::format("{} in {}\n{}\nClick to see them in the picture", format_bytes_exactly(total.bytes),
                                format_count(total.count), list.names[row]));
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const double share = list.sum.bytes == 0 ? 0 : static_cast<double>(total.bytes) / static_cast<double>(list.sum.bytes);
    const float bytes_width = scaled(78);
    draw->AddRectFilled(pos, {pos.x + bytes_width * static_cast<float>(share), pos.y + ImGui::GetTextLineHeight()},
                        palette().accent_soft, scaled(2));
    const auto right_text = [&](const std::string& text, float right, ImU32 colour) {
        draw->AddText({right - ImGui::CalcTextSize(text.c_str()).x, pos.y}, colour, text.c_str());
    };
    right_text(format_bytes(total.bytes), pos.x + bytes_width, palette().text);
    float right = pos.x + bytes_width;
    if (width > scaled(k_min_width_with_counts_px)) {
        right += scaled(56);
        right_text("in " + format_count(total.count), right, palette().text_dim);
    }
    const CodeFont code;
    const float left = right + scaled(10);
    draw->AddText({left, pos.y}, palette().text, cut_stack_name(list.names[row], pos.x + width - left).c_str());
    return is_clicked;
}

}  // namespace

StackList make_stack_list(const Timeline& timeline, std::span<const AllocationId> allocations) {
    StackList list;
    list.sum = total_share(timeline, allocations);
    list.totals = totals_by_stack(timeline, allocations);
    list.names = stack_names(timeline, list.totals);
    return list;
}

ClickedStack draw_stack_list(const StackList& list, const std::optional<StackId>& chosen, const std::string& rect_prefix) {
    ClickedStack clicked;
    ImGui::BeginChild(rect_prefix.c_str());
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(list.totals.size()));
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const auto row = static_cast<std::size_t>(i);
            const StackId stack = list.totals[row].stack;
            if (draw_stack_row(list, row, chosen == stack, rect_prefix + std::to_string(i))) clicked = stack;
        }
    }
    ImGui::EndChild();
    return clicked;
}

}  // namespace snapviewer::details
