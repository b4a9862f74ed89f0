#include "app/shell/side_pages.h"

#include <imgui.h>

#include <algorithm>
#include <initializer_list>

#include "app/features/growth/growth_view.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

void follow_selection(SidePagesState& state, const PinsState& pins, AllocationId selected) {
    if (state.followed == selected) return;
    state.followed = selected;
    if (state.shown == SidePage::pins && std::ranges::find(pins.rows, selected, &PinRow::allocation) != pins.rows.end())
        return;
    if (selected.is_some())
        state.next = SidePage::allocation;
    else if (state.shown == SidePage::allocation)
        state.next = SidePage::live;
}

/// The padding around and the spacing between the names of the tabs.
struct TabGaps {
    float padding = 0, spacing = 0;
};

/// The widest gaps with which all tab names fit. Null names are skipped.
TabGaps gaps_for(std::initializer_list<const char*> names) {
    float width = 0;
    float count = 0;
    for (const char* name : names) {
        if (name == nullptr) continue;
        width += ImGui::CalcTextSize(name, nullptr, true).x;
        ++count;
    }
    const ImGuiStyle& style = ImGui::GetStyle();
    const TabGaps usual = {style.FramePadding.x, style.ItemInnerSpacing.x};
    for (const TabGaps gaps : {usual, TabGaps{scaled(5), scaled(2)}}) {
        if (width + count * (2 * gaps.padding + gaps.spacing) <= ImGui::GetContentRegionAvail().x) return gaps;
    }
    return {scaled(2), scaled(1)};
}

/// Applies the gaps to ImGui. Pushes two style variables, which the caller pops.
void push_tab_style(const TabGaps& gaps) {
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(gaps.padding, ImGui::GetStyle().FramePadding.y));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, ImVec2(gaps.spacing, ImGui::GetStyle().ItemInnerSpacing.y));
}

}  // namespace

void draw_side_pages(SidePagesState& state, const SidePagesScene& scene, Requests& requests) {
    if (scene.timeline == nullptr) {
        draw_details_view(scene.details, nullptr, scene.selected, requests);
        return;
    }
    follow_selection(state, scene.pins, scene.selected);
    const bool has_moments = scene.moments.timeline != nullptr;
    const char* one = scene.timeline->trace().kind == ViewKind::segments ? "Segment###one" : "Allocation###one";
    const TabGaps gaps = gaps_for({"Findings", "Growth", "Pins", "Live", has_moments ? "Range" : nullptr, one});
    push_tab_style(gaps);
    const bool has_tabs = ImGui::BeginTabBar("side pages");
    ImGui::PopStyleVar(2);
    if (!has_tabs) return;
    const std::optional<SidePage> next = std::exchange(state.next, std::nullopt);
    const auto page = [&](SidePage which, const char* name, const char* rect, auto draw) {
        push_tab_style(gaps);
        const bool is_in_front =
            ImGui::BeginTabItem(name, nullptr, next == which ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None);
        ImGui::PopStyleVar(2);
        report_rect(rect);
        if (!is_in_front) return;
        state.shown = which;
        draw();
        ImGui::EndTabItem();
    };
    page(SidePage::findings, "Findings", "tab_findings", [&] { draw_findings_view(scene.findings, requests); });
    page(SidePage::growth, "Growth", "tab_growth",
         [&] { draw_growth_view(scene.findings, scene.generation, *scene.timeline, requests); });
    page(SidePage::pins, "Pins", "tab_pins", [&] { draw_pins_view(scene.pins, scene.findings, scene.selected, requests); });
    page(SidePage::live, "Live", "tab_live",
         [&] { draw_live_view(scene.live, *scene.timeline, scene.emphasised, requests); });
    if (has_moments)
        page(SidePage::moments, "Range", "tab_moments",
             [&] { draw_moments_view(scene.moments, *scene.timeline, requests); });
    page(SidePage::allocation, one, "tab_allocation",
         [&] { draw_details_view(scene.details, scene.timeline, scene.selected, requests); });
    ImGui::EndTabBar();
}

}  // namespace snapviewer
