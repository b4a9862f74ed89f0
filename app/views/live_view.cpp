#include "app/views/live_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include "app/text/allocation_text.h"
#include "app/text/timeline_axis.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"
#include "core/base/units.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {
namespace {

std::string moment_text(const LiveListState& state, const Timeline& timeline) {
    std::string text = "Live at " + step_text(timeline, static_cast<double>(timeline.step_of_tick(state.tick)));
    if (state.tick == timeline.peak_tick()) text += ", the peak";
    return text;
}

void dim_text(const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
}

void draw_header(const LiveListState& state, const Timeline& timeline, Requests& requests) {
    ImGui::TextUnformatted(moment_text(state, timeline).c_str());
    if (state.tick != timeline.peak_tick()) {
        ImGui::SameLine();
        if (ImGui::SmallButton("Peak")) requests.ask(ListLive{timeline.peak_tick()});
        report_rect("live_peak");
    }
    dim_text(fmt::format("{} in {} of {} stack{}", format_bytes(state.bytes, 2), counted(timeline, state.count),
                         format_count(state.totals.size()), state.totals.size() == 1 ? "" : "s"));
    if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip(
            "A click in the picture lists what is alive there; a click on a row shows where all of its stack is");
    }
}

void draw_row(LiveListState& state, const Timeline& timeline, std::size_t row, std::optional<StackId> emphasised,
              Requests& requests) {
    const StackTotal& total = state.totals[row];
    std::string& name = state.names[row];
    if (name.empty()) name = stack_name(timeline, total.stack);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(row));
    const bool stands_out = emphasised == total.stack;
    if (ImGui::Selectable(format_bytes(total.bytes).c_str(), stands_out, ImGuiSelectableFlags_SpanAllColumns)) {
        if (stands_out) {
            requests.ask(Command::close_search);
        } else {
            requests.ask(EmphasiseStack{total.stack});
        }
    }
    report_rect("live_row_" + std::to_string(row));
    if (ImGui::IsItemHovered()) {
        ImGui::SetTooltip("%s\n%s", format_bytes_exactly(total.bytes).c_str(), name.c_str());
    }
    ImGui::PopID();
    ImGui::TableNextColumn();
    dim_text(format_count(total.count));
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(name.c_str());
}

}  // namespace

std::string stack_name(const Timeline& timeline, StackId stack) {
    if (stack == k_before_recording) {
        const bool is_segment = timeline.trace().kind == ViewKind::segments;
        return is_segment ? "reserved before the recording" : "allocated before the recording";
    }
    return stack_source(timeline.snapshot(), stack);
}

void show_live_at(LiveListState& state, const Timeline& timeline, std::optional<std::uint32_t> tick) {
    const bool is_other = state.timeline != &timeline;
    const std::uint32_t wanted = tick.value_or(is_other ? timeline.peak_tick() : state.tick);
    if (!is_other && wanted == state.tick) return;
    state = LiveListState{&timeline, wanted, live_totals_by_stack(timeline, wanted), {}, 0, 0};
    state.names.resize(state.totals.size());
    for (const StackTotal& total : state.totals) {
        state.bytes += total.bytes;
        state.count += total.count;
    }
}

void draw_live_view(LiveListState& state, const Timeline& timeline, std::optional<StackId> emphasised, Requests& requests) {
    show_live_at(state, timeline, std::nullopt);
    draw_header(state, timeline, requests);
    ImGui::Spacing();
    constexpr ImGuiTableFlags k_flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg;
    if (!ImGui::BeginTable("live", 3, k_flags)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("Live", ImGuiTableColumnFlags_WidthFixed, scaled(84));
    ImGui::TableSetupColumn("Count", ImGuiTableColumnFlags_WidthFixed, scaled(56));
    ImGui::TableSetupColumn("Stack", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableHeadersRow();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(state.totals.size()));
    while (clipper.Step()) {
        for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
            draw_row(state, timeline, static_cast<std::size_t>(row), emphasised, requests);
        }
    }
    ImGui::EndTable();
}

}  // namespace snapviewer
