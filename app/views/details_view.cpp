#include "app/views/details_view.h"

#include <imgui.h>

#include <algorithm>
#include <cstddef>

#include "app/state_report.h"
#include "app/theme.h"
#include "app/views/cut_text.h"

namespace snapviewer {
namespace {

void keep_texts(DetailsState& state, const Timeline& timeline, AllocationId id) {
    if (state.timeline == &timeline && state.id == id) return;
    state = DetailsState{};
    state.timeline = &timeline;
    state.id = id;
    state.facts = allocation_facts(timeline, id);
    state.stack = stack_lines(timeline, timeline.trace().allocations.stack[id.value]);
}

void dim_text(const char* text) {
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

/// A line that can be marked by a click and copied by a right click. Gives the item's rectangle to draw into.
void draw_line_frame(DetailsState& state, const std::string& text, float height) {
    if (ImGui::Selectable("##line", state.marked == text, 0, {0, height})) state.marked = state.marked == text ? "" : text;
    if (ImGui::BeginPopupContextItem("line menu")) {
        if (ImGui::MenuItem("Copy this line")) ImGui::SetClipboardText(text.c_str());
        ImGui::EndPopup();
    }
}

void draw_facts(DetailsState& state) {
    if (!ImGui::BeginTable("facts", 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg)) return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, scaled(132));
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    for (const Fact& fact : state.facts) {
        ImGui::PushID(&fact);
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
        ImGui::TextUnformatted(fact.name.c_str());
        ImGui::PopStyleColor();
        ImGui::TableNextColumn();
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        const float height = ImGui::CalcTextSize(fact.value.c_str(), nullptr, false, width).y;
        draw_line_frame(state, fact.value, height);
        ImGui::GetWindowDrawList()->AddText(nullptr, 0, pos, palette().text, fact.value.c_str(), nullptr, width);
        ImGui::PopID();
    }
    ImGui::EndTable();
}

ImU32 function_colour(FrameKind kind) {
    switch (kind) {
        case FrameKind::framework: return palette().text_faint;
        case FrameKind::user: return palette().text;
        case FrameKind::top_user: return palette().accent;
    }
    return palette().text;
}

/// Function at the left, place at the right.
void draw_frame(DetailsState& state, const StackLine& line) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = ImGui::GetTextLineHeight();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (line.kind == FrameKind::top_user) {
        const float over = ImGui::GetStyle().ItemSpacing.y / 2;
        list->AddRectFilled({pos.x - scaled(8), pos.y - over}, {pos.x - scaled(5), pos.y + height + over}, palette().accent);
    }
    draw_line_frame(state, line.full_text, height);
    if (ImGui::IsItemHovered()) {
        ImGui::BeginTooltip();
        ImGui::PushTextWrapPos(scaled(720));
        ImGui::TextUnformatted(line.full_text.c_str());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
    const float place_width = ImGui::CalcTextSize(line.place.c_str()).x;
    const float place_left = std::max(pos.x + width * 0.35F, pos.x + width - place_width);
    const ImU32 place_colour = line.kind == FrameKind::framework ? palette().text_faint : palette().text_dim;
    draw_cut_text(list, pos, place_left - scaled(8), function_colour(line.kind), line.function);
    draw_cut_text(list, {place_left, pos.y}, pos.x + width, place_colour, line.place);
}

void draw_stack(DetailsState& state) {
    ImGui::Spacing();
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    ImGui::Text("Stack, innermost call first (%d)", static_cast<int>(state.stack.size()));
    ImGui::PopStyleColor();
    ImGui::Separator();
    if (state.stack.empty()) {
        dim_text(
            "No stack was recorded. Either the recording of stacks was off or of another kind, or it began after this "
            "allocation, or the event was pushed out of the ring buffer.");
        return;
    }
    ImGui::Indent(scaled(8));
    for (std::size_t i = 0; i < state.stack.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        draw_frame(state, state.stack[i]);
        ImGui::PopID();
    }
    ImGui::Unindent(scaled(8));
}

/// The line most people look for, above everything else.
void draw_headline(const DetailsState& state) {
    const auto top = std::ranges::find(state.stack, FrameKind::top_user, &StackLine::kind);
    if (top == state.stack.end()) return;
    ImGui::PushStyleColor(ImGuiCol_Text, palette().accent);
    ImGui::PushTextWrapPos(0);
    ImGui::Text("%s  %s", top->function.c_str(), top->place.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void draw_buttons(const DetailsState& state, Requests& requests) {
    if (ImGui::Button("Copy stack")) ImGui::SetClipboardText(stack_lines_text(state.stack).c_str());
    report_rect("details_copy_stack");
    ImGui::SameLine();
    if (ImGui::Button("Copy all")) ImGui::SetClipboardText(allocation_text(state.facts, state.stack).c_str());
    report_rect("details_copy_all");
    ImGui::SameLine();
    if (ImGui::Button("Zoom")) requests.ask(Command::zoom_to_selection);
    report_rect("details_zoom");
}

}  // namespace

void draw_details_view(DetailsState& state, const Timeline* timeline, AllocationId selected, Requests& requests) {
    if (timeline == nullptr || !selected.is_some()) {
        state = DetailsState{};
        dim_text("Nothing selected");
        ImGui::Spacing();
        dim_text(
            "Click an allocation in the timeline, or a row of a query that has an allocation's id, to read all about it "
            "here.");
        return;
    }
    keep_texts(state, *timeline, selected);
    draw_headline(state);
    draw_buttons(state, requests);
    ImGui::Spacing();
    ImGui::BeginChild("details body");
    draw_facts(state);
    draw_stack(state);
    ImGui::EndChild();
}

void draw_details_tabs(DetailsState& state, LiveListState& live, const Timeline* timeline, AllocationId selected,
                       std::optional<StackId> emphasised, Requests& requests) {
    if (timeline == nullptr) {
        draw_details_view(state, timeline, selected, requests);
        return;
    }
    const bool has_changed = state.shown != selected;
    if (selected.is_some()) keep_texts(state, *timeline, selected);  // Ctrl+C copies it, whichever tab is in front
    if (!ImGui::BeginTabBar("details tabs")) return;
    const auto tab = [&](const char* name, const char* rect, bool comes_to_front) {
        const bool is_in_front =
            ImGui::BeginTabItem(name, nullptr, comes_to_front ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None);
        report_rect(rect);
        return is_in_front;
    };
    if (tab("Live", "tab_live", has_changed && !selected.is_some())) {
        draw_live_view(live, *timeline, emphasised, requests);
        ImGui::EndTabItem();
    }
    if (tab("Allocation", "tab_allocation", has_changed && selected.is_some())) {
        draw_details_view(state, timeline, selected, requests);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
    state.shown = selected;
}

std::string details_clipboard(const DetailsState& state) {
    return state.marked.empty() ? allocation_text(state.facts, state.stack) : state.marked;
}

}  // namespace snapviewer
