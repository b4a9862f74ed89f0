#include "app/shell/layout.h"

#include <algorithm>
#include <cmath>

#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace snapviewer {
namespace {

constexpr float k_min_fraction = 0.12F;
constexpr float k_max_fraction = 0.7F;
constexpr float k_min_details_px = 285;  // room for the full names of all pages, if the window is wide enough
constexpr float k_max_for_details = 0.4F;

/// Draws a splitter and returns how far it was dragged to the left or up in this frame.
float draw_splitter(const char* name, const Area& area, bool is_vertical) {
    float moved = 0;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().window);
    begin_panel(name, area, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
    click_area("grip", area.size);
    observe_item(name);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        ImGui::SetMouseCursor(is_vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), palette().accent_soft);
    }
    if (ImGui::IsItemActive()) moved = is_vertical ? -ImGui::GetIO().MouseDelta.x : -ImGui::GetIO().MouseDelta.y;
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    return moved;
}

}  // namespace

Layout compute_layout(const Area& work, float status_height, float splitter_width, bool has_document,
                      const Preferences& settings, bool shows_address_map, float query_line_px,
                      std::optional<float> details_fraction) {
    Layout layout;
    const float height = std::max(1.0F, work.size.y - status_height);
    layout.status = {{work.pos.x, work.pos.y + height}, {work.size.x, status_height}};

    if (!has_document) {
        layout.timeline = {work.pos, {work.size.x, height}};
        return layout;
    }
    const float details_share =
        work.size.x * std::clamp(details_fraction.value_or(settings.details_fraction), k_min_fraction, k_max_fraction);
    const float details_width =
        std::round(std::max(details_share, std::min(scaled(k_min_details_px), k_max_for_details * work.size.x)));
    const float timeline_width = std::max(1.0F, work.size.x - details_width - splitter_width);
    float upper_height = height;
    if (settings.show_query) {
        const float fraction = std::clamp(settings.query_fraction, k_min_fraction, k_max_fraction);
        const float query_height = query_line_px > 0 ? query_line_px : std::round(height * fraction);
        upper_height = std::max(1.0F, height - query_height - splitter_width);
        layout.query_splitter = {{work.pos.x, work.pos.y + upper_height}, {timeline_width, splitter_width}};
        layout.query = {{work.pos.x, work.pos.y + upper_height + splitter_width}, {timeline_width, query_height}};
    }
    if (shows_address_map) {
        const float fraction = std::clamp(settings.address_map_fraction, k_min_fraction, k_max_fraction);
        const float map_height = std::round(upper_height * fraction);
        upper_height = std::max(1.0F, upper_height - map_height - splitter_width);
        layout.map_splitter = {{work.pos.x, work.pos.y + upper_height}, {timeline_width, splitter_width}};
        layout.map = {{work.pos.x, work.pos.y + upper_height + splitter_width}, {timeline_width, map_height}};
    }
    layout.timeline = {work.pos, {timeline_width, upper_height}};
    layout.details_splitter = {{work.pos.x + timeline_width, work.pos.y}, {splitter_width, height}};
    layout.details = {{work.pos.x + timeline_width + splitter_width, work.pos.y}, {details_width, height}};
    return layout;
}

void draw_splitters(const Layout& layout, const Area& work, Preferences& settings, float& details_fraction) {
    if (layout.details.size.x <= 0) return;
    const float wider = draw_splitter("details_splitter", layout.details_splitter, true);
    details_fraction = std::clamp(details_fraction + wider / work.size.x, k_min_fraction, k_max_fraction);
    if (layout.map.size.y > 0) {
        const float both_height = layout.timeline.size.y + layout.map_splitter.size.y + layout.map.size.y;
        const float higher = draw_splitter("map_splitter", layout.map_splitter, false);
        settings.address_map_fraction =
            std::clamp(settings.address_map_fraction + higher / both_height, k_min_fraction, k_max_fraction);
    }
    if (layout.query.size.y <= 0) return;
    const float higher = draw_splitter("query_splitter", layout.query_splitter, false);
    // The work area has no height if the window is as low as its menu.
    const float work_height = std::max(work.size.y, 1.0F);
    settings.query_fraction = std::clamp(settings.query_fraction + higher / work_height, k_min_fraction, k_max_fraction);
}

}  // namespace snapviewer
