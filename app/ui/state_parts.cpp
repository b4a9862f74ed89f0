#include "app/ui/state_parts.h"

#include <imgui.h>

#include "app/ui/drawn_text.h"
#include "app/ui/feature.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"

namespace snapviewer {

ScreenPoint::ScreenPoint(const ImVec2& point) : x(point.x), y(point.y) {}

ScreenPoint::operator ImVec2() const { return {x, y}; }

namespace {

void draw_work_button(const char* words, CommandId command, Requests& requests) {
    if (ImGui::Button(words)) requests.ask(RunCommand{command});
    observe_item(command_row(command).name);
    ImGui::SameLine();
}

}  // namespace

bool draw_long_work(const LongWork& work, CommandId stop, CommandId restart, Requests& requests) {
    if (work.is_running()) {
        draw_work_button("Stop", stop, requests);
        ImGui::ProgressBar(work.fraction, {scaled(120), scaled(8)}, "");
        ImGui::SameLine();
        draw_paragraph(palette().text_dim, work.status);
        return true;
    }
    if (work.is_at_rest()) draw_work_button(work.is_stopped ? "Go on" : "Try again", restart, requests);
    return false;
}

}  // namespace snapviewer
