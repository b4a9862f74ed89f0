#include "app/views/search_bar.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/text/allocation_text.h"
#include "app/window/keys.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

constexpr float k_field_width_px = 300;
constexpr const char* k_hint = "file, function, 0xaddress or metadata";

void tooltip(const char* text) {
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text);
}

std::string share_text(const LiveShare& share) {
    return fmt::format("{} in {}", format_bytes(share.bytes, 2), format_count(share.count));
}

void draw_field(SearchState& state, Requests& requests) {
    ImGui::SetNextItemWidth(scaled(k_field_width_px));
    if (state.focus_input) ImGui::SetKeyboardFocusHere();
    state.focus_input = false;
    const std::string before = state.text;
    const std::string name = state.name();
    ImGui::InputTextWithHint("##search", name.empty() ? k_hint : name.c_str(), &state.text);
    report_rect("search_field");
    tooltip(
        "Any part of a stack's line (file:line:function) or of the user metadata, either case, % for any text;\n"
        "or an address: whatever held it");
    // Esc gives the field back its old text; here it ends the search instead.
    if (ImGui::IsItemDeactivated() && key_pressed(Key::escape)) {
        requests.ask(Command::close_search);
    } else if (state.text != before) {
        requests.ask(FindText{state.text});
    } else if (ImGui::IsItemDeactivated() && enter_pressed()) {
        state.focus_input = true;  // Enter has gone to the next hit; more typing may follow
    }
}

}  // namespace

std::string hits_text(const Timeline& timeline, const SearchState& state, const std::optional<LiveShare>& at_cursor) {
    if (!state.emphasis) return "";
    const std::size_t count = state.emphasis->count();
    if (count == 0) return "nothing found";
    std::string text = fmt::format("{}  ·  at the peak {}", counted(timeline, count), share_text(state.at_peak));
    if (at_cursor) text += "  ·  here " + share_text(*at_cursor);
    return text;
}

void draw_search_bar(SearchState& state, const Timeline& timeline, std::optional<std::uint32_t> cursor_tick,
                     Requests& requests) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().window);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {scaled(6), 0});
    ImGui::BeginChild("search bar", {0, ImGui::GetFrameHeight() + scaled(8)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::SetCursorPos({scaled(10), scaled(4)});
    draw_field(state, requests);
    const bool has_hits = state.emphasis && state.emphasis->count() > 0;
    ImGui::SameLine();
    if (ImGui::Button("<") && has_hits) requests.ask(Command::previous_hit);
    report_rect("search_previous");
    tooltip("Previous hit (Shift+Enter)");
    ImGui::SameLine();
    if (ImGui::Button(">") && has_hits) requests.ask(Command::next_hit);
    report_rect("search_next");
    tooltip("Next hit (Enter)");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    std::optional<LiveShare> at_cursor;
    if (has_hits && cursor_tick) at_cursor = state.emphasis->live_at(timeline, *cursor_tick);
    ImGui::PushStyleColor(ImGuiCol_Text, state.emphasis && !has_hits ? palette().notice : palette().text_dim);
    ImGui::TextUnformatted(hits_text(timeline, state, at_cursor).c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine(ImGui::GetWindowWidth() - scaled(40));
    if (ImGui::Button("×")) requests.ask(Command::close_search);
    report_rect("search_close");
    tooltip("Show everything again (Esc)");
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
}

}  // namespace snapviewer
