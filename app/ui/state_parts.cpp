#include "app/ui/state_parts.h"

#include <imgui.h>

#include "app/ui/drawn_text.h"
#include "app/ui/feature.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"

namespace snapviewer {

ScreenPoint::ScreenPoint(const ImVec2& point) : x(point.x), y(point.y) {}

ScreenPoint::operator ImVec2() const { return {x, y}; }

void command_button(const char* words, CommandId command, Requests& requests) {
    if (observed(ImGui::Button(words), command_row(command).name)) requests.ask(RunCommand{command});
}

bool draw_long_work(const LongWork& work, CommandId stop, CommandId restart, Requests& requests) {
    if (work.is_running()) {
        command_button("Stop", stop, requests);
        ImGui::SameLine();
        ImGui::ProgressBar(work.fraction, {scaled(120), scaled(8)}, "");
        ImGui::SameLine();
        draw_paragraph(palette().text_dim, work.status);
        return true;
    }
    if (work.is_at_rest()) {
        command_button(work.is_stopped ? "Go on" : "Try again", restart, requests);
        ImGui::SameLine();
    }
    return false;
}

}  // namespace snapviewer
