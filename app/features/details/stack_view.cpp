#include "app/features/details/stack_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/features/details/source_places.h"
#include "app/ui/cut_text.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr float k_indent_px = 8;
constexpr float k_repeat_px = 12;

template <typename Set, typename Value>
void toggle(Set& set, const Value& value) {
    if (!set.erase(value)) set.insert(value);
}

class StackDrawing {
public:
    StackDrawing(StackViewState& state, std::string& marked, Requests& requests)
        : state_(state), marked_(marked), requests_(requests) {}

    void draw_part(const StackPart& part) {
        const bool is_opened = state_.opened_repeats.contains(part.begin);
        const std::size_t length = part.end - part.begin;
        if (part.times > 1) draw_times(part, is_opened);
        const ImVec2 top = ImGui::GetCursorScreenPos();
        if (part.times > 1) ImGui::Indent(scaled(k_repeat_px));
        const std::size_t end = part.begin + (is_opened ? length * part.times : length);
        for (std::size_t i = part.begin; i < end; ++i) draw_item(state_.folded.items[i]);
        if (part.times == 1) return;
        ImGui::Unindent(scaled(k_repeat_px));
        const float bottom = ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y;
        const float x = top.x + scaled(3);
        ImGui::GetWindowDrawList()->AddLine({x, top.y}, {x, bottom}, palette().accent_soft, scaled(2));
    }

private:
    /// Draws the button that opens or closes the part below it. Returns true if it was clicked.
    bool draw_switch(const std::string& text, bool is_opened) {
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float right = pos.x + ImGui::GetContentRegionAvail().x;
        const bool is_clicked = ImGui::Selectable("##switch", false, 0, {0, ImGui::GetTextLineHeight()});
        draw_cut_text(ImGui::GetWindowDrawList(), pos, right, palette().text_faint, (is_opened ? "▼ " : "▶ ") + text);
        return is_clicked;
    }

    void draw_times(const StackPart& part, bool is_opened) {
        const std::size_t frame = state_.folded.items[part.begin].begin;
        ImGui::PushID(static_cast<int>(frame));
        ImGui::PushID("times");
        if (draw_switch(fmt::format("× {}: calls itself, directly or through other functions", part.times), is_opened))
            toggle(state_.opened_repeats, part.begin);
        report_rect(fmt::format("repeat_{}", frame));
        ImGui::PopID();
        ImGui::PopID();
    }

    void draw_item(const StackItem& item) {
        if (!item.is_folded) return draw_frame(item.begin);
        const bool is_opened = state_.opened_runs.contains(item.begin);
        const StackLine& line = state_.lines[line_for(state_.lines, item)];
        const std::size_t count = item.end - item.begin;
        ImGui::PushID(static_cast<int>(item.begin));
        ImGui::PushID("run");
        if (draw_switch(fmt::format("{}  {}", counted(count, "frame"), is_opened ? "" : line.function), is_opened))
            toggle(state_.opened_runs, item.begin);
        report_rect(fmt::format("folded_{}", item.begin));
        ImGui::PopID();
        ImGui::PopID();
        for (std::size_t i = item.begin; is_opened && i < item.end; ++i) draw_frame(i);
    }

    ImU32 colour_of(std::size_t frame) const {
        if (state_.folded.headline == frame || state_.folded.looks[frame] == FrameLook::important) return palette().accent;
        return state_.lines[frame].kind == FrameKind::framework ? palette().text_faint : palette().text;
    }

    /// Draws a frame: the function at the left, its file and line at the right, and the source text below.
    void draw_frame(std::size_t frame) {
        const StackLine& line = state_.lines[frame];
        const std::string& source = state_.sources[frame];
        ImGui::PushID(static_cast<int>(frame));
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        const float line_px = ImGui::GetTextLineHeight();
        const float height = source.empty() ? line_px : 2 * line_px + scaled(2);
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (state_.folded.headline == frame) {
            const float over = ImGui::GetStyle().ItemSpacing.y / 2;
            list->AddRectFilled({pos.x - scaled(8), pos.y - over}, {pos.x - scaled(5), pos.y + height + over},
                                palette().accent);
        }
        const bool has_place = is_source_path(state_.places[frame].path);
        draw_markable_line(marked_, line.full_text, height, has_place ? &state_.places[frame] : nullptr, requests_);
        report_rect(fmt::format("frame_{}", frame));
        if (ImGui::IsItemHovered()) draw_tooltip(frame, has_place);
        const float place_width = ImGui::CalcTextSize(line.place.c_str()).x;
        const float place_left = std::max(pos.x + width * 0.35F, pos.x + width - place_width);
        const ImU32 place_colour = line.kind == FrameKind::framework ? palette().text_faint : palette().text_dim;
        draw_cut_text(list, pos, place_left - scaled(8), colour_of(frame), line.function);
        draw_cut_text(list, {place_left, pos.y}, pos.x + width, place_colour, line.place);
        if (!source.empty())
            draw_cut_text(list, {pos.x + scaled(12), pos.y + line_px + scaled(1)}, pos.x + width, palette().text_dim,
                          source);
        draw_fx_lines(line);
        ImGui::PopID();
    }

    void draw_tooltip(std::size_t frame, bool has_place) const {
        std::vector<TooltipLine> lines = {{state_.lines[frame].full_text}};
        if (!state_.sources[frame].empty()) lines.push_back({state_.sources[frame], palette().text_dim});
        if (has_place)
            lines.push_back(
                {fmt::format("Double-click to open {} in the editor", state_.places[frame].path), palette().text_faint});
        item_tooltip(lines);
    }

    void draw_fx_lines(const StackLine& line) {
        ImGui::Indent(scaled(k_indent_px));
        for (std::size_t i = 0; i < line.fx.size(); ++i) {
            ImGui::PushID(static_cast<int>(i));
            const ImVec2 pos = ImGui::GetCursorScreenPos();
            const float right = pos.x + ImGui::GetContentRegionAvail().x;
            draw_markable_line(marked_, line.fx[i], ImGui::GetTextLineHeight(), nullptr, requests_);
            draw_cut_text(ImGui::GetWindowDrawList(), pos, right, palette().text_faint, line.fx[i]);
            ImGui::PopID();
        }
        ImGui::Unindent(scaled(k_indent_px));
    }

    StackViewState& state_;
    std::string& marked_;
    Requests& requests_;
};

}  // namespace

void draw_markable_line(std::string& marked, const std::string& text, float height, const SourcePlace* place,
                        Requests& requests) {
    if (ImGui::Selectable("##line", marked == text, ImGuiSelectableFlags_AllowDoubleClick, {0, height})) {
        const bool opens = place != nullptr && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
        marked = marked == text && !opens ? "" : text;
        if (opens) requests.ask(OpenSource{*place});
    }
    if (!ImGui::BeginPopupContextItem("line menu")) return;
    if (ImGui::MenuItem("Copy this line")) requests.ask(CopyText{text, "The line"});
    if (place != nullptr && ImGui::MenuItem("Open in the editor")) requests.ask(OpenSource{*place});
    ImGui::EndPopup();
}

void draw_stack_view(StackViewState& state, std::string& marked, Requests& requests) {
    if (!state.is_arranged) return;
    const CodeFont code;
    ImGui::Indent(scaled(k_indent_px));
    StackDrawing drawing(state, marked, requests);
    for (const StackPart& part : state.folded.parts) drawing.draw_part(part);
    ImGui::Unindent(scaled(k_indent_px));
}

}  // namespace snapviewer
