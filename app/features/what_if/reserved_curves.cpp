#include "app/features/what_if/reserved_curves.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <vector>

#include "app/ui/curve_plot.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr float k_curves_height = 96;

struct NamedCurve {
    const char* name;
    const std::vector<std::uint64_t>& bytes;
    ImU32 colour;
};

/// A curve that is shorter than the recording ends at a failed request; marks that point.
void draw_failed_end(const CurvePlot& plot, const NamedCurve& curve) {
    if (curve.bytes.empty() || curve.bytes.size() >= plot.columns) return;
    const float x = plot.x(curve.bytes.size());
    draw_column_line(plot, x, with_alpha(palette().danger, 0xa0));
    ImGui::GetWindowDrawList()->AddCircleFilled({x, plot.y(curve.bytes.back())}, scaled(3.5F), palette().danger);
}

void draw_curve_names(const std::array<NamedCurve, 3>& curves) {
    bool is_first = true;
    for (const NamedCurve& curve : curves) {
        if (curve.bytes.empty()) continue;
        if (!is_first) ImGui::SameLine(0, scaled(14));
        is_first = false;
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float middle = pos.y + ImGui::GetTextLineHeight() / 2;
        ImGui::GetWindowDrawList()->AddRectFilled({pos.x, middle - scaled(2)}, {pos.x + scaled(12), middle + scaled(2)},
                                                  curve.colour);
        ImGui::Dummy({scaled(14), ImGui::GetTextLineHeight()});
        ImGui::SameLine(0, scaled(4));
        ImGui::TextUnformatted(curve.name);
    }
}

void draw_values_at(const CurvePlot& plot, const std::array<NamedCurve, 3>& curves, std::size_t column,
                    std::int64_t event_id) {
    draw_column_line(plot, plot.x(column), palette().hover);
    std::string text = fmt::format("event {}", format_count(static_cast<std::uint64_t>(event_id)));
    for (const NamedCurve& curve : curves) {
        if (column < curve.bytes.size()) text += fmt::format("\n{}: {}", curve.name, format_bytes(curve.bytes[column], 2));
    }
    mouse_tooltip(text);
}

std::uint64_t top_of(const std::array<NamedCurve, 3>& curves, std::uint64_t capacity) {
    std::uint64_t top = 1;
    for (const NamedCurve& curve : curves) {
        for (const std::uint64_t bytes : curve.bytes) top = std::max(top, bytes);
    }
    // GPU memory far larger than reserved memory would flatten the curves.
    return capacity < 2 * top ? std::max(top, capacity) : top;
}

}  // namespace

std::optional<std::uint32_t> draw_reserved_curves(const RepeatedRecording& recording, const AnsweredQuestion& answer,
                                                  Requests& requests) {
    const std::array<NamedCurve, 3> curves = {{{"recorded", recording.reserved_bytes, palette().text_faint},
                                               {"carried", answer.reserved_bytes[0], palette().accent},
                                               {"rebuilt", answer.reserved_bytes[1], palette().notice}}};
    if (recording.reserved_bytes.empty()) return std::nullopt;
    draw_curve_names(curves);
    const std::uint64_t capacity = answer.answer.settings.capacity;
    bool is_clicked = false;
    const CurvePlot plot =
        begin_curve_plot("curves", k_curves_height, curves.front().bytes.size(), top_of(curves, capacity), is_clicked);
    report_rect("what_if_curves");
    fill_below_curve(plot, curves[0].bytes, with_alpha(curves[0].colour, 0x60));
    draw_curve(plot, curves[1].bytes, curves[1].colour);
    draw_curve(plot, curves[2].bytes, curves[2].colour);
    draw_failed_end(plot, curves[1]);
    draw_failed_end(plot, curves[2]);
    if (capacity > 0 && static_cast<double>(capacity) <= plot.top_bytes)
        ImGui::GetWindowDrawList()->AddLine({plot.min.x, plot.y(capacity)}, {plot.max.x, plot.y(capacity)}, palette().danger,
                                            scaled(1));
    if (!ImGui::IsItemHovered()) return std::nullopt;
    const std::size_t column = plot.column_at(ImGui::GetIO().MousePos.x);
    const auto event = static_cast<std::uint32_t>(column * recording.basis.run.event_count() / plot.columns);
    draw_values_at(plot, curves, column, recording.basis.run.event_id(event));
    if (!is_clicked) return std::nullopt;
    requests.ask(GoToEvent{event});
    return event;
}

}  // namespace snapviewer
