#include "app/views/pair_banner.h"

#include <imgui.h>

#include <filesystem>

#include "app/state_report.h"
#include "app/theme.h"

namespace snapviewer {

void draw_pair_banner(const std::string& other_path, Requests& requests) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().notice_panel);
    ImGui::BeginChild("pair banner", {0, ImGui::GetFrameHeight() + scaled(8)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::SetCursorPos({scaled(10), scaled(4)});
    ImGui::AlignTextToFramePadding();
    const std::string name = std::filesystem::path(other_path).filename().string();
    ImGui::Text("The other kind of report was open before: %s. Of one model, both make one picture.", name.c_str());
    ImGui::SameLine(0, scaled(12));
    if (ImGui::Button("Draw together")) requests.open_with = other_path;
    report_rect("pair_draw");
    ImGui::SameLine(0, scaled(6));
    if (ImGui::Button("Not now")) requests.ask(Command::dismiss_pair);
    report_rect("pair_dismiss");
    ImGui::EndChild();
    ImGui::PopStyleColor();
}

}  // namespace snapviewer
