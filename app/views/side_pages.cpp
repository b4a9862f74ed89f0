#include "app/views/side_pages.h"

#include <imgui.h>

#include "app/views/growth_view.h"
#include "app/window/state_report.h"

namespace snapviewer {
namespace {

void follow_selection(SidePagesState& state, AllocationId selected) {
    if (state.followed == selected) return;
    state.followed = selected;
    if (selected.is_some())
        state.next = SidePage::allocation;
    else if (state.shown == SidePage::allocation)
        state.next = SidePage::live;
}

}  // namespace

void draw_side_pages(SidePagesState& state, const SidePagesScene& scene, Requests& requests) {
    if (scene.timeline == nullptr) {
        draw_details_view(scene.details, nullptr, scene.selected, requests);
        return;
    }
    follow_selection(state, scene.selected);
    if (!ImGui::BeginTabBar("side pages")) return;
    const std::optional<SidePage> next = std::exchange(state.next, std::nullopt);
    const auto page = [&](SidePage which, const char* name, const char* rect, auto draw) {
        const bool is_in_front =
            ImGui::BeginTabItem(name, nullptr, next == which ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None);
        report_rect(rect);
        if (!is_in_front) return;
        state.shown = which;
        draw();
        ImGui::EndTabItem();
    };
    page(SidePage::findings, "Findings", "tab_findings", [&] { draw_findings_view(scene.findings, requests); });
    page(SidePage::growth, "Growth", "tab_growth", [&] { draw_growth_view(scene.findings, requests); });
    page(SidePage::live, "Live", "tab_live",
         [&] { draw_live_view(scene.live, *scene.timeline, scene.emphasised, requests); });
    const char* one = scene.timeline->trace().kind == ViewKind::segments ? "Segment###one" : "Allocation###one";
    page(SidePage::allocation, one, "tab_allocation",
         [&] { draw_details_view(scene.details, scene.timeline, scene.selected, requests); });
    ImGui::EndTabBar();
}

}  // namespace snapviewer
