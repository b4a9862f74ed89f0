#include "app/shell/picture_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/features/timeline/colour_names.h"
#include "app/features/timeline/overlay_view.h"
#include "app/ui/commands.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_bar_gap_px = 4;

std::string coloured_by(const Colouring& colouring) { return fmt::format("Colour: {}", colouring.words); }

/// Width of the widest choice, so that the legend does not move when another colouring is chosen.
float colour_combo_width() {
    float widest = 0;
    for (const Colouring& each : colourings()) widest = std::max(widest, ImGui::CalcTextSize(coloured_by(each).c_str()).x);
    return widest + 2 * ImGui::GetStyle().FramePadding.x + ImGui::GetFrameHeight();
}

void draw_colour_combo(const Commands& commands, const AppState& state, Requests& requests) {
    const auto shown = std::ranges::find(colourings(), state.colour_by, &Colouring::by);
    ImGui::SetNextItemWidth(colour_combo_width());
    if (!ImGui::BeginCombo("##colour", coloured_by(*shown).c_str(), ImGuiComboFlags_HeightLargest)) {
        report_rect("button_colour");
        return;
    }
    for (const MenuEntry& entry : commands.entries_of(Menu::colour)) {
        const Command& colour = *entry.command;
        const auto flags = colour.can_run(state) ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
        if (ImGui::Selectable(colour.words.c_str(), colour.is_on(state), flags)) requests.ask(RunCommand{colour.id});
        report_rect("button_" + colour.id);
        const std::string doc = colour.doc(state);
        if (!doc.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) item_tooltip(doc);
    }
    ImGui::EndCombo();
}

/// Draws a button that is highlighted while its command is on.
void draw_switch(const Command& command, const AppState& state, Requests& requests) {
    const bool is_on = command.is_on(state);
    ImGui::SameLine(0, scaled(k_bar_gap_px));
    if (is_on) ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
    ImGui::BeginDisabled(!command.can_run(state));
    if (ImGui::Button(command.words.c_str())) requests.ask(RunCommand{command.id});
    ImGui::EndDisabled();
    if (is_on) ImGui::PopStyleColor();
    report_rect("button_" + command.id);
    if (ImGui::IsItemHovered()) item_tooltip(fmt::format("{} ({})", command.words, command.keys));
}

}  // namespace

float draw_picture_bar(const Commands& commands, const AppState& state, ImVec2 pos, Requests& requests) {
    const float pad_y = (overlay_legend_height() - ImGui::GetTextLineHeight()) / 2 - scaled(2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(7), pad_y});
    ImGui::SetCursorScreenPos({pos.x + scaled(2), pos.y + scaled(2)});
    draw_colour_combo(commands, state, requests);
    for (const char* id : {"view_flame", "view_address_map"}) draw_switch(*commands.find(id), state, requests);
    ImGui::PopStyleVar();
    return ImGui::GetItemRectMax().x + scaled(2 * k_bar_gap_px) - pos.x;
}

}  // namespace snapviewer
