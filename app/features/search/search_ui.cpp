#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "app/features/highlight.h"
#include "app/features/search/search.h"
#include "app/ui/drawn_text.h"
#include "app/ui/imgui_keys.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/text.h"
#include "core/query/search_sql.h"

namespace snapviewer::search {

void SearchBar::update() {
    Highlight& highlight = session_.highlight;
    if (!highlight.is_none()) was_opened_ = false;
    if (!highlight.is_waiting || session_.current_timeline() == nullptr) {
        task_.discard();
    } else {
        const auto& timeline = session_.devices[session_.device_index].current().made.timeline;
        const TextSought& sought = *highlight.as<TextSought>();
        task_.follow({timeline, sought.text}, timeline->snapshot().read_bytes,
                     [timeline, terms = sought.terms](Progress&) { return find_terms(*timeline, terms); });
    }
    std::optional<Result<Emphasis>> found = task_.take();
    if (!found) return;
    if (*found) return show_found(highlight, *task_.input()->first, **std::move(found));
    highlight.is_waiting = false;
    session_.notice = found->error().text();
}

void SearchBar::open() {
    if (session_.document == nullptr) return;
    was_opened_ = focus_input_ = true;
}

void SearchBar::close() {
    was_opened_ = false;
    selection_.close_search();
}

bool SearchBar::dismiss(Requests& /*requests*/) {
    const bool was_open = is_open();
    close();
    return was_open;
}

std::string SearchBar::typed_text() const {
    const auto* typed = session_.highlight.as<TextSought>();
    return typed != nullptr ? typed->text : "";
}

std::string why_no_search_sql(const Session& session) {
    const auto* typed = session.highlight.as<TextSought>();
    if (typed != nullptr && !typed->error.empty()) return "Not as SQL: " + typed->error;
    if (session.current_timeline() == nullptr || typed == nullptr || typed->terms.empty())
        return "Only a typed search can be shown as SQL";
    if (session.current_kind() != ViewKind::allocations)
        return "The tables are about allocations; switch to them first (Picture > Allocations)";
    return {};
}

namespace {

bool can_walk(const Session& session) { return has_hits(session) && session.focused == Pane::timeline; }

}  // namespace

void SearchBar::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::above_picture,
                            .order = 300,
                            .is_there = [this](const Session& session) { return is_open() && shows_timeline(session); },
                            .draw = [this](const Area&, Requests& requests) { draw(requests); }});
    board.commands.on(CommandId::go_find, {.is_possible = has_picture, .run = [this] { open(); }});
    // Enter works in the search field, too, because the field loses the keyboard focus for a frame at each Enter.
    board.commands.on(CommandId::go_next_hit, {.is_possible = can_walk, .run = [this] { selection_.go_to_hit(true); }});
    board.commands.on(CommandId::go_previous_hit, {.is_possible = can_walk, .run = [this] { selection_.go_to_hit(false); }});
    board.commands.on(CommandId::go_search_sql,
                      {.is_possible = [](const Session& session) { return why_no_search_sql(session).empty(); },
                       .doc = why_no_search_sql,
                       .run = [this, &board] { ask_in_sql(board.requests); }});
    board.commands.on(CommandId::search_close, {.run = [this] { close(); }});
}

void SearchBar::ask_in_sql(Requests& requests) {
    if (!why_no_search_sql(session_).empty()) return;
    const Result<std::string> sql =
        query::search_sql(session_.highlight.as<TextSought>()->terms, *session_.current_timeline(), session_.device_index);
    if (sql)
        requests.ask(PutQuery{*sql, sql->size(), sql->size(), true});
    else
        session_.notice = sql.error().text();
}

namespace {

constexpr float k_field_width_px = 300;
constexpr const char* k_hint = "function, file, 0xaddress, > 100 MiB";

struct SearchExample {
    const char* typed;
    const char* finds;
};
constexpr std::array k_examples = {
    SearchExample{
        "conv",
        "any part of a stack line (file:line:function) or of the\nuser metadata, ignoring case; % stands for any text"},
    SearchExample{"function:forward", "part of a function's name; file:model.py for a file's"},
    SearchExample{"re:layer\\.\\d+", "a regular expression in a stack line, ignoring case"},
    SearchExample{"> 100 MiB", "a size; also size <= 4 KiB, size = 512"},
    SearchExample{"1 MiB..2 MiB", "a size between two"},
    SearchExample{"stream:0", "a stream by its number or its handle"},
    SearchExample{"age > 5 ms", "what lived that long; age > 100 counts in steps"},
    SearchExample{"0x7f4c00000000", "whatever held this address"},
    SearchExample{"file:\"my model.py\" > 1 MiB", "several conditions, all of which must hold"},
};

void tooltip(const std::string& text) {
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) item_tooltip(text);
}

std::string share_text(const LiveShare& share) {
    return fmt::format("{} in {}", format_bytes(share.bytes), format_count(share.count));
}

void draw_hit_buttons(bool has_hits, Requests& requests) {
    ImGui::BeginDisabled(!has_hits);
    ImGui::SameLine();
    if (ImGui::Button("<")) requests.ask(RunCommand{CommandId::go_previous_hit});
    observe_item("search_previous");
    tooltip(with_keys(command_row(CommandId::go_previous_hit).words, CommandId::go_previous_hit));
    ImGui::SameLine();
    if (ImGui::Button(">")) requests.ask(RunCommand{CommandId::go_next_hit});
    observe_item("search_next");
    tooltip(with_keys("Next hit, zoomed in far enough to see it", CommandId::go_next_hit) + "; " +
            keys_of(CommandId::view_back) + " goes back");
    ImGui::EndDisabled();
}

/// Draws the buttons that show the hits elsewhere: as a list and as SQL.
void draw_output_buttons(const std::string& why_no_sql, bool has_hits, Requests& requests) {
    ImGui::BeginDisabled(!has_hits);
    if (ImGui::Button("List")) requests.ask(RunCommand{CommandId::go_list_hits});
    ImGui::EndDisabled();
    observe_item("search_list");
    tooltip("List all hits in a table");
    ImGui::SameLine();
    ImGui::BeginDisabled(!why_no_sql.empty());
    if (ImGui::Button("as SQL")) requests.ask(RunCommand{CommandId::go_search_sql});
    ImGui::EndDisabled();
    observe_item("search_sql");
    tooltip(why_no_sql.empty() ? "A query that finds the same" : why_no_sql.c_str());
    ImGui::SameLine();
}

void draw_hits_text(const std::string& text, bool is_bad, ImVec2 pos, float right) {
    draw_cut_text(ImGui::GetWindowDrawList(), pos, right, is_bad ? palette().notice : palette().text_dim, text);
    observe_item("search_words", pos.x, pos.y, right, pos.y + ImGui::GetTextLineHeight());
    const bool is_cut = pos.x + ImGui::CalcTextSize(text.c_str()).x > right;
    const PixelBox box{pos, {right, pos.y + ImGui::GetTextLineHeight()}};
    if (is_cut && is_mouse_at(box)) tooltip_beside(box, text);
}

}  // namespace

void SearchBar::draw_field(Requests& requests) {
    ImGui::SetNextItemWidth(std::min(scaled(k_field_width_px), ImGui::GetWindowWidth() * 0.36F));
    if (std::exchange(focus_input_, false)) focus_next_input("##search");
    const std::string before = typed_text();
    std::string text = before;
    const std::string name = session_.highlight.name();
    const bool is_wrong = !session_.highlight.error().empty();
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, is_wrong ? scaled(1) : 0);
    ImGui::PushStyleColor(ImGuiCol_Border, palette().notice);
    ImGui::InputTextWithHint("##search", name.empty() ? k_hint : name.c_str(), &text);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    observe_item("search_field");
    // ImGui restores the field's old text on Esc. Here, Esc ends the search instead.
    if (ImGui::IsItemDeactivated() && key_pressed(Key::escape)) {
        requests.ask(RunCommand{CommandId::search_close});
    } else if (text != before) {
        requests.ask(FindText{text});
    } else if (ImGui::IsItemDeactivated() && enter_pressed()) {
        // Enter has moved to the next hit. The field keeps the focus, so that the user can continue typing.
        focus_input_ = true;
    }
}

void SearchBar::draw_syntax(Requests& requests) {
    if (!ImGui::BeginPopup("search syntax")) return;
    ImGui::TextUnformatted("What you can search for; click one to try it");
    ImGui::Spacing();
    if (ImGui::BeginTable("examples", 2, ImGuiTableFlags_SizingFixedFit)) {
        for (std::size_t i = 0; i < k_examples.size(); ++i) {
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::PushStyleColor(ImGuiCol_Text, palette().accent);
            if (ImGui::Selectable(k_examples[i].typed, false, ImGuiSelectableFlags_SpanAllColumns)) {
                requests.ask(FindText{k_examples[i].typed});
                focus_input_ = true;
            }
            ImGui::PopStyleColor();
            observe_item(fmt::format("search_example_{}", i));
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(k_examples[i].finds);
        }
        ImGui::EndTable();
    }
    ImGui::Spacing();
    dim_text(std::string("The marks along the upper edge of the picture are hits too small to see.\n") +
             keys_of(CommandId::go_next_hit) + " zooms in on the next hit, " + keys_of(CommandId::view_back) +
             " goes back.");
    ImGui::EndPopup();
}

/// Draws the buttons at the right end of the bar. Returns the x coordinate of their left edge.
float SearchBar::draw_right_buttons(Requests& requests) {
    const float padding = 2 * ImGui::GetStyle().FramePadding.x;
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    float width = scaled(10);
    // An error message needs the space more than buttons that would be disabled.
    const bool is_wrong = !session_.highlight.error().empty();
    for (const char* label : {"?", "×"}) width += ImGui::CalcTextSize(label).x + padding + gap;
    for (const char* label : {"List", "as SQL"}) width += is_wrong ? 0 : ImGui::CalcTextSize(label).x + padding + gap;
    const float left = ImGui::GetWindowWidth() - width;
    ImGui::SameLine(left);
    if (!is_wrong) draw_output_buttons(why_no_search_sql(session_), session_.highlight.has_hits(), requests);
    if (ImGui::Button("?")) ImGui::OpenPopup("search syntax");
    observe_item("search_help");
    tooltip("What you can search for");
    draw_syntax(requests);
    ImGui::SameLine();
    if (ImGui::Button("×")) requests.ask(RunCommand{CommandId::search_close});
    observe_item("search_close");
    tooltip(with_keys("Show everything again", CommandId::edit_dismiss));
    return left;
}

/// Number of hits and their bytes: "3 of 176  ·  at the peak 1.5 GiB in 3", or a sentence if there are no hits.
std::string SearchBar::hits_text() const {
    const Highlight& highlight = session_.highlight;
    std::string text = hits_words(highlight, session_.selected());
    if (!highlight.error().empty() || highlight.is_waiting || !highlight.has_hits()) return text;
    text += "  ·  at the peak " + share_text(highlight.at_peak);
    if (!session_.timeline.has_cursor) return text;
    const std::uint32_t tick = session_.timeline.cursor_tick;
    return text + "  ·  here " + share_text(highlight.allocations->live_at(*session_.current_timeline(), tick));
}

void SearchBar::draw(Requests& requests) {
    const Highlight& highlight = session_.highlight;
    const bool is_wrong = !highlight.error().empty();
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().window);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {scaled(6), 0});
    ImGui::BeginChild("search bar", {0, ImGui::GetFrameHeight() + scaled(8)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::SetCursorPos({scaled(10), scaled(4)});
    draw_field(requests);
    if (!is_wrong) draw_hit_buttons(highlight.has_hits(), requests);
    const ImVec2 words_pos(ImGui::GetItemRectMax().x + scaled(10), ImGui::GetItemRectMin().y + scaled(3));
    const float right = ImGui::GetWindowPos().x + draw_right_buttons(requests) - scaled(8);
    draw_hits_text(hits_text(), is_wrong || (highlight.allocations && !highlight.has_hits()), words_pos, right);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
}

}  // namespace snapviewer::search
