#include "app/features/query/query_cards.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/features/query/sql_editor.h"
#include "app/ui/click_area.h"
#include "app/ui/cut_text.h"
#include "app/ui/fonts.h"
#include "app/ui/star.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_narrowest_card_px = 250;
constexpr float k_card_gap_px = 8;
constexpr float k_card_pad_px = 8;
constexpr int k_card_lines = 4;  // maximum number of text lines on a card

void make_cards(QueryCardsState& state, const Database* database, const Preferences& settings) {
    const std::span<const TableDoc> schema = database == nullptr ? std::span<const TableDoc>() : database->schema();
    const QueryCardsState::Made& made = state.made;
    const bool is_made = made.is_made && made.wanted == state.wanted && made.saved == settings.saved_queries &&
                         made.history == settings.query_history;
    if (is_made) return;
    state.made = {true, state.wanted, settings.saved_queries, settings.query_history};
    state.cards = query_cards(settings.saved_queries, settings.query_history, schema, state.wanted);
    state.tokens.clear();
    for (const QueryCard& card : state.cards) state.tokens.push_back(sql_tokens(card.sql, schema));
}

PutQuery put_card(const QueryCard& card, bool runs) {
    const bool has_gap = card.edit_begin < card.edit_end;
    if (has_gap) return {card.sql, card.edit_begin, card.edit_end, false};
    return {card.sql, card.sql.size(), card.sql.size(), runs};
}

bool is_saved(const Preferences& settings, const std::string& sql) {
    return std::ranges::find(settings.saved_queries, sql) != settings.saved_queries.end();
}

/// Clickable areas of a card, and which of them is under the mouse.
struct CardParts {
    PixelBox card, star, run;
    bool is_hovered = false, is_at_star = false, is_at_run = false;
};

CardParts parts_of(const ImVec2& min, const ImVec2& max) {
    const float side = ImGui::GetTextLineHeight() + scaled(6);
    CardParts parts;
    parts.card = {min, max};
    parts.star = {{max.x - side - scaled(2), min.y + scaled(2)}, {max.x - scaled(2), min.y + scaled(2) + side}};
    const float run_width = ImGui::CalcTextSize("Run").x + scaled(16);
    parts.run = {{max.x - run_width - scaled(4), max.y - side - scaled(4)}, {max.x - scaled(4), max.y - scaled(4)}};
    const auto is_over = [](const PixelBox& box) { return ImGui::IsMouseHoveringRect(box.min, box.max); };
    parts.is_hovered = ImGui::IsItemHovered();
    parts.is_at_star = parts.is_hovered && is_over(parts.star);
    parts.is_at_run = parts.is_hovered && is_over(parts.run);
    return parts;
}

/// Draws the text of a card. Returns true if all of it fits.
bool draw_card_text(const QueryCard& card, std::span<const SqlToken> tokens, const CardParts& parts) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float pad = scaled(k_card_pad_px);
    const float right = parts.card.max.x - pad;
    ImVec2 at(parts.card.min.x + pad, parts.card.min.y + pad);
    const float line_px = ImGui::GetTextLineHeight() + scaled(1);
    if (!card.name.empty()) {
        draw_cut_text(list, at, parts.star.min.x, palette().text, card.name);
        at.y += line_px;
    }
    if (!card.text.empty()) {
        draw_cut_text(list, at, card.name.empty() ? parts.star.min.x : right, palette().text_dim, card.text);
        at.y += line_px;
    }
    const CodeFont code;
    const float code_right = card.name.empty() && card.text.empty() ? parts.star.min.x : right;
    return draw_sql_lines(list, at, {code_right, parts.card.max.y - pad + scaled(2)}, card.sql, card.named_end, tokens);
}

void draw_run(const CardParts& parts) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(parts.run.min, parts.run.max, parts.is_at_run ? palette().accent_soft : palette().button_hovered,
                        scaled(4));
    const ImVec2 size = ImGui::CalcTextSize("Run");
    list->AddText({(parts.run.min.x + parts.run.max.x - size.x) / 2, (parts.run.min.y + parts.run.max.y - size.y) / 2},
                  palette().text, "Run");
}

void draw_source(QueryCard::Source source, const CardParts& parts) {
    const char* words = card_source_word(source);
    const ImVec2 size = ImGui::CalcTextSize(words);
    const ImVec2 at(parts.card.max.x - scaled(k_card_pad_px) - size.x, parts.card.max.y - scaled(k_card_pad_px) - size.y);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({at.x - scaled(4), at.y}, {at.x + size.x, at.y + size.y}, palette().field);
    list->AddText(at, palette().text_faint, words);
}

void tell_card(const QueryCard& card, const CardParts& parts, bool has_star, bool is_whole) {
    if (!parts.is_hovered) return;
    if (parts.is_at_star)
        item_tooltip(has_star ? "Saved. Click to remove it" : "Save this query");
    else if (parts.is_at_run)
        item_tooltip("Run this query (Ctrl+click)");
    else if (!is_whole)
        row_tooltip(card.text.empty() ? card.sql : card.text + "\n\n" + card.sql);
}

/// Reports the visible part of a clickable area.
void report_part(const std::string& name, const PixelBox& box) {
    const ImVec2 low = ImGui::GetWindowDrawList()->GetClipRectMin();
    const ImVec2 high = ImGui::GetWindowDrawList()->GetClipRectMax();
    const float top = std::max(box.min.y, low.y);
    const float bottom = std::min(box.max.y, high.y);
    if (top < bottom) report_rect(name, box.min.x, top, box.max.x, bottom);
}

void draw_card(const QueryCard& card, std::span<const SqlToken> tokens, std::size_t index, const ImVec2& size,
               const Preferences& settings, Requests& requests) {
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const ImVec2 max(min.x + size.x, min.y + size.y);
    const bool is_pressed = click_area("card", size);
    if (!ImGui::IsItemVisible()) return;
    const CardParts parts = parts_of(min, max);
    report_part(fmt::format("card_{}", index), parts.card);
    report_part(fmt::format("card_star_{}", index), parts.star);
    report_part(fmt::format("card_run_{}", index), parts.run);
    const bool has_star = is_saved(settings, card.sql);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, parts.is_hovered ? palette().row_hovered : palette().field, scaled(5));
    list->AddRect(min, max, palette().border, scaled(5));
    const bool is_whole = draw_card_text(card, tokens, parts);
    const ImVec2 middle((parts.star.min.x + parts.star.max.x) / 2, (parts.star.min.y + parts.star.max.y) / 2);
    if (has_star || parts.is_hovered) draw_star(list, middle, parts.is_at_star, has_star);
    if (parts.is_hovered)
        draw_run(parts);
    else
        draw_source(card.source, parts);
    tell_card(card, parts, has_star, is_whole);
    if (!is_pressed) return;
    if (parts.is_at_star)
        requests.ask(StarQuery{card.sql});
    else
        requests.ask(put_card(card, parts.is_at_run || ImGui::GetIO().KeyCtrl));
}

void draw_cards(const QueryCardsState& state, const Preferences& settings, Requests& requests) {
    const float gap = scaled(k_card_gap_px);
    const float room = ImGui::GetContentRegionAvail().x;
    const float columns = std::max(1.0F, std::floor((room + gap) / (scaled(k_narrowest_card_px) + gap)));
    const ImVec2 size(std::floor((room + gap) / columns - gap),
                      2 * scaled(k_card_pad_px) + k_card_lines * (ImGui::GetTextLineHeight() + scaled(1)));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
    for (std::size_t i = 0; i < state.cards.size(); ++i) {
        if (i % static_cast<std::size_t>(columns) > 0) ImGui::SameLine();
        ImGui::PushID(static_cast<int>(i));
        draw_card(state.cards[i], state.tokens[i], i, size, settings, requests);
        ImGui::PopID();
    }
    ImGui::PopStyleVar();
}

}  // namespace

void draw_query_cards(QueryCardsState& state, const Database* database, const Preferences& settings, Requests& requests) {
    ImGui::SetNextItemWidth(-1);
    const bool is_entered = ImGui::InputTextWithHint("##wanted", "Search saved, recent and ready-made queries",
                                                     &state.wanted, ImGuiInputTextFlags_EnterReturnsTrue);
    report_rect("query_wanted");
    make_cards(state, database, settings);
    if (is_entered && !state.cards.empty()) requests.ask(put_card(state.cards.front(), ImGui::GetIO().KeyCtrl));
    ImGui::BeginChild("cards");
    if (state.cards.empty()) ImGui::TextDisabled("No matches");
    draw_cards(state, settings, requests);
    ImGui::EndChild();
}

}  // namespace snapviewer
