#include "app/features/query/query_fields.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/features/query/sql_statements.h"
#include "app/ui/fonts.h"
#include "app/ui/result_grid.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_narrowest_field_px = 165;
constexpr float k_parameter_name_px = 92;
constexpr std::size_t k_most_fields = 12;

std::vector<std::string> fields_of(const QueryPaneState& state) {
    if (state.sql.find(':') == std::string::npos) return {};
    std::vector<std::string> names = sql_parameters(state.sql);
    if (names.size() > k_most_fields) names.resize(k_most_fields);
    return names;
}

std::size_t field_columns(float width_px) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    return static_cast<std::size_t>(std::max(1.0F, std::floor((width_px + gap) / (scaled(k_narrowest_field_px) + gap))));
}

/// Returns the window's value of a built-in parameter as a text; nullopt for any other name.
std::optional<std::string> value_in_window(const QueryPaneState& state, const std::string& name) {
    const auto known = std::ranges::find(state.parameters, name, &QueryParameter::name);
    return known == state.parameters.end() ? std::nullopt : std::optional(cell_text(known->value));
}

void draw_parameter_field(QueryPaneState& state, const std::string& name, float width_px) {
    const float begin = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    const CodeFont code;
    ImGui::TextColored(to_vec4(palette().code[static_cast<std::size_t>(SqlKind::parameter)]), "%s", name.c_str());
    ImGui::SameLine(begin + std::max(scaled(k_parameter_name_px), ImGui::CalcTextSize(name.c_str()).x + scaled(6)));
    ImGui::SetNextItemWidth(begin + width_px - ImGui::GetCursorPosX());
    const std::optional<std::string> shown = value_in_window(state, name);
    const auto given = state.given.find(name);
    std::string typed = given == state.given.end() ? "" : given->second;
    // A value is stored only when it is typed, so that half-typed parameter names leave no entries behind.
    if (ImGui::InputTextWithHint(("##" + name).c_str(), shown ? shown->c_str() : "a value", &typed))
        state.given[name] = typed;
    report_rect("parameter_" + name.substr(1));
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
        item_tooltip(shown ? fmt::format("{} in the window. Type another value to override it", *shown)
                           : "The window has no value for this: type one");
}

}  // namespace

float parameter_fields_height(const QueryPaneState& state) {
    const std::size_t count = fields_of(state).size();
    const std::size_t columns = field_columns(ImGui::GetContentRegionAvail().x);
    return static_cast<float>((count + columns - 1) / columns) * ImGui::GetFrameHeightWithSpacing();
}

void draw_parameter_fields(QueryPaneState& state) {
    const std::vector<std::string> names = fields_of(state);
    if (names.empty()) return;
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const std::size_t columns = std::min(field_columns(ImGui::GetContentRegionAvail().x), names.size());
    const float width = (ImGui::GetContentRegionAvail().x + gap) / static_cast<float>(columns) - gap;
    const float begin = ImGui::GetCursorPosX();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::size_t column = i % columns;
        if (column > 0) ImGui::SameLine(begin + static_cast<float>(column) * (width + gap));
        draw_parameter_field(state, names[i], width);
    }
}

}  // namespace snapviewer
