#include "app/views/picture/flame_options.h"

#include <imgui.h>

#include "app/window/state_report.h"
#include "app/window/theme.h"

namespace snapviewer {
namespace {

template <typename Value>
void draw_choice(const char* words, const char* rect, const char* doc, Value value, Value& wanted) {
    ImGui::SameLine(0, scaled(4));
    ImGui::PushStyleColor(ImGuiCol_Button, wanted == value ? palette().accent_soft : palette().raised);
    if (ImGui::Button(words)) wanted = value;
    ImGui::PopStyleColor();
    report_rect(rect);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", doc);
}

}  // namespace

void draw_flame_options(FlameState& state, const std::string& moment) {
    ImGui::BeginChild("flame options", {0, ImGui::GetFrameHeight() + scaled(6)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::SetCursorPos({scaled(10), scaled(2)});
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("On top");
    FlameMoment& wanted = state.wanted;
    draw_choice("callers", "flame_callers", "From the program's start down to what allocates", CallOrder::callers_first,
                wanted.order);
    draw_choice("what allocates", "flame_callees", "From what allocates up to who called it", CallOrder::callees_first,
                wanted.order);
    ImGui::SameLine(0, scaled(16));
    ImGui::TextUnformatted("Frames");
    draw_choice("own", "flame_own", "The program's own lines alone", TreeFrames::own, wanted.frames);
    draw_choice("Python", "flame_python", "Without C++", TreeFrames::python, wanted.frames);
    draw_choice("filtered", "flame_filtered", "Without the interpreter and the dispatcher", TreeFrames::filtered,
                wanted.frames);
    draw_choice("all", "flame_all", "As recorded", TreeFrames::all, wanted.frames);
    ImGui::SameLine(0, scaled(16));
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    ImGui::TextUnformatted(moment.c_str());
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("The moment that Live lists: click another in the timeline");
    ImGui::EndChild();
}

}  // namespace snapviewer
