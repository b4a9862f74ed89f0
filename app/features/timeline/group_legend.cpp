#include "app/features/timeline/group_legend.h"

#include <fmt/format.h>

#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/click_area.h"
#include "app/ui/cut_text.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

constexpr float k_widest_name_px = 220;
/// Space reserved for an amount. Amounts change with the mouse, but names should keep their places.
constexpr const char* k_widest_amount = "888.8 GiB";

float legend_height() { return ImGui::GetTextLineHeight() + scaled(6); }

float name_width(const ColourGroup& group) {
    return std::min(scaled(k_widest_name_px), ImGui::CalcTextSize(group.name.c_str()).x);
}

float chip_width(const ColourGroup& group) {
    return scaled(38) + name_width(group) + ImGui::CalcTextSize(k_widest_amount).x;
}

/// Formats a group as "11.2 GiB at the peak, 1,234 segments in all".
std::string amount_text(const ColourGroup& group, const Timeline& timeline, std::uint32_t tick) {
    const std::string moment = tick == timeline.peak_tick()
                                   ? fmt::format("the {}", peak_moment_word(timeline))
                                   : step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)));
    return fmt::format("{} at {}, {} in all", format_bytes(group.bytes), moment, counted(timeline, group.count));
}

void draw_chip(const ColourGroups& groups, const Timeline& timeline, std::size_t index,
               std::optional<std::size_t> emphasised, ImVec2 pos, Requests& requests) {
    const ColourGroup& group = groups.groups[index];
    const ImVec2 size(chip_width(group), legend_height());
    ImGui::SetCursorScreenPos(pos);
    ImGui::PushID(static_cast<int>(index));
    if (click_area("group", size)) requests.ask(EmphasiseGroup{index});
    ImGui::PopID();
    report_rect(fmt::format("group_{}", index));
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool is_hovered = ImGui::IsItemHovered();
    const ImVec2 end(pos.x + size.x, pos.y + size.y);
    if (is_hovered || emphasised == index)
        list->AddRectFilled({pos.x, pos.y + 1}, {end.x, end.y - 1}, palette().raised, scaled(3));
    const float middle = pos.y + size.y / 2;
    list->AddRectFilled({pos.x + scaled(8), middle - scaled(5)}, {pos.x + scaled(18), middle + scaled(5)}, group.colour,
                        scaled(2));
    const bool is_quiet = emphasised && emphasised != index && !is_hovered;
    const float name_left = pos.x + scaled(24);
    const float amount_left = name_left + name_width(group) + scaled(8);
    const float text_top = pos.y + (size.y - ImGui::GetTextLineHeight()) / 2;
    draw_cut_text(list, {name_left, text_top}, amount_left - scaled(8), is_quiet ? palette().text_faint : palette().text_dim,
                  group.name);
    list->AddText({amount_left, text_top}, palette().text_faint, format_bytes(group.bytes).c_str());
    if (is_hovered) {
        item_tooltip(fmt::format("{}\n{}\n{}", group.name, amount_text(group, timeline, groups.tick),
                                 emphasised == index ? "Click to show all" : "Click to highlight it"));
    }
}

void draw_rest(const ColourGroups& groups, const Timeline& timeline, std::size_t first,
               std::optional<std::size_t> emphasised, ImVec2 pos, Requests& requests) {
    ImGui::SetCursorScreenPos(pos);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(6), scaled(1)});
    if (ImGui::Button("…##groups")) ImGui::OpenPopup("rest of groups");
    ImGui::PopStyleVar();
    report_rect("groups_more");
    if (!ImGui::BeginPopup("rest of groups")) return;
    for (std::size_t i = first; i < groups.groups.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        ImGui::ColorButton("##colour", to_vec4(groups.groups[i].colour), ImGuiColorEditFlags_NoTooltip,
                           {ImGui::GetTextLineHeight(), ImGui::GetTextLineHeight()});
        ImGui::SameLine();
        if (ImGui::MenuItem(groups.groups[i].name.c_str(), amount_text(groups.groups[i], timeline, groups.tick).c_str(),
                            emphasised == i)) {
            requests.ask(EmphasiseGroup{i});
        }
        ImGui::PopID();
    }
    ImGui::EndPopup();
}

}  // namespace

float group_legend_height(const ColourGroups& groups) { return groups.groups.empty() ? 0 : legend_height(); }

void draw_group_legend(const ColourGroups& groups, const Timeline& timeline, std::optional<std::size_t> emphasised,
                       ImVec2 pos, float width, Requests& requests) {
    const float more_width = scaled(36);
    float x = pos.x;
    for (std::size_t i = 0; i < groups.groups.size(); ++i) {
        const float room = pos.x + width - x - (i + 1 < groups.groups.size() ? more_width : 0);
        if (chip_width(groups.groups[i]) > room) {
            draw_rest(groups, timeline, i, emphasised, {x + scaled(4), pos.y + scaled(2)}, requests);
            return;
        }
        draw_chip(groups, timeline, i, emphasised, {x, pos.y}, requests);
        x += chip_width(groups.groups[i]) + scaled(2);
    }
}

}  // namespace snapviewer
