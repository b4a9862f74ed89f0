#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "app/features/preferences.h"
#include "app/features/query/queries.h"
#include "app/features/query/ready_queries.h"
#include "app/features/query/sql_editor_ui.h"
#include "app/features/query/sql_text.h"
#include "app/features/query/state.h"
#include "app/features/requests.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/result_grid.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/query/database.h"

namespace snapviewer {
namespace {

constexpr float k_narrowest_card_px = 250;
constexpr float k_card_gap_px = 8;
constexpr float k_card_pad_px = 8;
constexpr int k_card_lines = 4;  // maximum number of text lines on a card

void make_cards(QueryCardsState& state, const query::Database* database, const Preferences& settings) {
    const std::span<const sqlite::TableDoc> schema =
        database == nullptr ? std::span<const sqlite::TableDoc>() : database->schema();
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

/// Reports the visible part of a clickable area to GUI tests.
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

/// Fills the rest of the current window with a search field and a card for each saved, recent and ready query. A click puts
/// the query into the input; a click with Ctrl runs it. `database` may be null.
void draw_query_cards(QueryCardsState& state, const query::Database* database, const Preferences& settings,
                      Requests& requests) {
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

constexpr float k_schema_type_px = 76;
constexpr float k_schema_text_px = 240;  // x position of descriptions, unless the name before it is wider

bool mentions(std::string_view text, const std::string& wanted) {
    return lower_case(text).find(wanted) != std::string::npos;
}

bool mentions(const ColumnDoc& column, const std::string& wanted) {
    return mentions(column.name + '\n' + column.text, wanted);
}

/// Draws a clickable name in the colour of its kind. Returns true if it was clicked.
bool draw_sql_name(const std::string& name, SqlKind kind) {
    const CodeFont code;
    const ImU32 colour = kind == SqlKind::keyword ? palette().text : palette().code[static_cast<std::size_t>(kind)];
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32_BLACK_TRANS);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(3), 0});
    const bool is_clicked = ImGui::SmallButton(name.c_str());
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(2);
    return is_clicked;
}

class SchemaPainter {
public:
    explicit SchemaPainter(std::string wanted) : wanted_(std::move(wanted)) {}

    void draw(const query::Database& database) {
        ImGui::PushStyleVar(ImGuiStyleVar_IndentSpacing,
                            scaled(36));  // indents the columns behind the names of their tables
        std::string schema;
        for (const sqlite::TableDoc& table : database.schema()) {
            if (table.is_empty || !is_wanted(table)) continue;
            if (std::exchange(schema, table.schema) != table.schema) draw_file(table);
            draw_table(table);
        }
        draw_functions();
        ImGui::PopStyleVar();
    }
    std::optional<std::string> take() { return std::move(clicked_); }

private:
    bool is_wanted(const sqlite::TableDoc& table) const {
        if (mentions(table.name + '\n' + table.text, wanted_)) return true;
        return std::ranges::any_of(table.columns, [&](const ColumnDoc& column) { return mentions(column, wanted_); });
    }

    static void draw_file(const sqlite::TableDoc& table) {
        ImGui::TextDisabled("%s", table.is_file_table
                                      ? fmt::format("Tables of {}, also as {}.NAME", table.file, table.schema).c_str()
                                      : fmt::format("Tables of B, {}", table.file).c_str());
    }

    void draw_table(const sqlite::TableDoc& table) {
        ImGui::PushID(table.name.c_str());
        // If the search matches a column but not its table, the table opens to show the match.
        const bool finds_columns = !wanted_.empty() && !mentions(table.name, wanted_);
        if (finds_columns) ImGui::SetNextItemOpen(true);
        const bool is_open = ImGui::TreeNodeEx(finds_columns ? "##found" : "##table", ImGuiTreeNodeFlags_AllowItemOverlap);
        report_rect("schema_open_" + table.name);
        ImGui::SameLine(0, 2 * ImGui::GetStyle().ItemSpacing.x);  // same gap as ImGui leaves after the arrow of a tree node
        if (draw_sql_name(table.name, SqlKind::table)) clicked_ = table.name;
        report_rect("schema_" + table.name);
        put_doc(table.text);
        if (is_open) {
            for (const ColumnDoc& column : table.columns) {
                if (!finds_columns || mentions(column, wanted_) || mentions(table.text, wanted_)) draw_column(table, column);
            }
            ImGui::TreePop();
        }
        ImGui::PopID();
    }

    void draw_column(const sqlite::TableDoc& table, const ColumnDoc& column) {
        if (draw_sql_name(column.name, SqlKind::keyword)) clicked_ = column.name;
        report_rect("schema_" + table.name + "_" + column.name);
        ImGui::SameLine(std::max(scaled(k_schema_text_px - k_schema_type_px),
                                 ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + scaled(8)));
        ImGui::TextDisabled("%s", column.type.c_str());
        put_doc(column.text);
    }

    /// Draws a description on the same line. Descriptions are aligned, unless a long name pushes one to the right.
    static void put_doc(const std::string& text) {
        const float behind = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + scaled(8);
        ImGui::SameLine(std::max(behind, scaled(k_schema_text_px)));
        wrapped_text(palette().text_dim, text);
    }

    void draw_functions() {
        if (!wanted_.empty()) ImGui::SetNextItemOpen(true);
        if (!ImGui::TreeNodeEx(wanted_.empty() ? "Functions" : "Functions##found")) return;
        for (const query::FunctionDoc& function : sql_functions()) {
            const std::string usage(function.usage);
            if (!mentions(usage + '\n' + std::string(function.text), wanted_)) continue;
            if (draw_sql_name(usage, SqlKind::function)) clicked_ = usage.substr(0, usage.find('(') + 1);
            put_doc(std::string(function.text));
        }
        ImGui::TreePop();
    }

    std::string wanted_;  ///< search text in lower case
    std::optional<std::string> clicked_;
};

/// Fills the rest of the current window with a search field and a list of the tables, their columns and the SQL functions,
/// each with its description. Returns the name that was clicked, to be inserted into the query. `database` may be null.
std::optional<std::string> draw_query_schema(std::string& wanted, const query::Database* database) {
    if (database == nullptr) {
        ImGui::TextDisabled("No file open");
        return std::nullopt;
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##wanted", "Search tables, columns and functions; click a name to insert it", &wanted);
    report_rect("schema_wanted");
    SchemaPainter painter(lower_case(wanted));
    ImGui::BeginChild("tables");
    painter.draw(*database);
    ImGui::EndChild();
    return painter.take();
}

constexpr float k_max_query_tab_width_px = 220;
constexpr float k_query_tab_gap_px = 2;

std::string query_tab_name(const QueryTab& tab) {
    const std::string name = query_name(tab.sql);
    return name.empty() ? "New query" : name;
}

/// Height of the strip of tabs; 0 if there is only one tab, because the strip is then hidden.
float query_tabs_height(const QueryPaneState& state) {
    return state.tabs.size() < 2 ? 0 : ImGui::GetTextLineHeight() + scaled(8);
}

/// Draws the strip of tabs at ImGui's cursor, across the window.
void draw_query_tabs(const QueryPaneState& state, Requests& requests) {
    const float height = query_tabs_height(state);
    if (height == 0) return;
    const ImVec2 begin = ImGui::GetCursorPos();
    const float gap = scaled(k_query_tab_gap_px);
    const float room = ImGui::GetContentRegionAvail().x - height;
    const auto count = static_cast<float>(state.tabs.size());
    const float width = std::max(1.0F, std::min(scaled(k_max_query_tab_width_px), room / count - gap));
    for (std::size_t i = 0; i < state.tabs.size(); ++i) {
        const QueryTab& tab = state.tab(i);
        const std::string number = std::to_string(i);
        ImGui::PushID(static_cast<int>(tab.id));
        ImGui::SetCursorPos({begin.x + static_cast<float>(i) * (width + gap), begin.y});
        const TabLook look{query_tab_name(tab), tab.sql.empty() ? "Empty" : tab.sql,
                           with_keys("Close", CommandId::query_close_tab), i == state.front};
        const TabClick click = draw_tab(look, {width, height}, "query_tab_" + number, "query_tab_close_" + number);
        if (click == TabClick::show) requests.ask(ShowQueryTab{i});
        if (click == TabClick::close) requests.ask(CloseQueryTab{i});
        ImGui::PopID();
    }
    ImGui::SetCursorPos({begin.x + count * (width + gap), begin.y});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
    if (ImGui::Button("+", {height, height})) requests.ask(RunCommand{CommandId::query_new_tab});
    ImGui::PopStyleVar();
    report_rect("query_tab_new");
    if (ImGui::IsItemHovered())
        item_tooltip(with_keys(command_row(CommandId::query_new_tab).words, CommandId::query_new_tab));
    ImGui::SetCursorPos({begin.x, begin.y + height + scaled(4)});
}

constexpr float k_split_px = 6;
constexpr float k_min_input_px = 270;    // minimum width of the input, enough for its buttons
constexpr float k_max_for_input = 0.6F;  // maximum share of the input in a narrow pane

float least_input_share(float width_px) { return std::min(scaled(k_min_input_px) / width_px, k_max_for_input); }

/// Draws the splitter between the input and the result.
void drag_split(Preferences& settings, float share, float width_px) {
    ImGui::SameLine(0, 0);
    click_area("split", {scaled(k_split_px), ImGui::GetContentRegionAvail().y});
    report_rect("query_split");
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), palette().accent_soft);
    }
    if (ImGui::IsItemActive())
        settings.query_split =
            std::clamp(share + ImGui::GetIO().MouseDelta.x / width_px, least_input_share(width_px), 0.85F);
    ImGui::SameLine(0, 0);
}

/// Draws the page of the right half; without a result, the list of queries takes its place.
void draw_right_half(QueryPaneState& state, const Document* document, const Preferences& settings, Requests& requests) {
    const bool has_answer = state.is_running || (state.result && !state.result->columns.empty());
    if (state.page == QueryPage::tables) {
        if (const std::optional<std::string> name = draw_query_schema(state.wanted_table, state.database.get()))
            insert_name(state, *name);
    } else if (state.page == QueryPage::answer && has_answer) {
        draw_query_results(state, document, requests);
    } else if (document == nullptr) {
        ImGui::TextDisabled("Open a file to query it with SQL.");
    } else {
        draw_query_cards(state.cards, state.database.get(), settings, requests);
    }
}

}  // namespace

void show_answer(QueryTab& tab, std::size_t index) {
    tab.shown_answer = index;
    tab.result = tab.answers[index].result;
    tab.widths_em.clear();
    tab.order = unsorted_rows(*tab.result);
    tab.order_stale = true;
    tab.row = -1;
}

void show_query_tab(QueryPaneState& state, std::size_t index) {
    if (index == state.front || index >= state.tabs.size()) return;
    QueryTab& front = state;
    state.tabs[state.front] = std::exchange(front, std::move(state.tabs[index]));
    state.front = index;
    state.forced_sql.reset();
    state.completions.clear();
    state.history_at = -1;
    state.input_active = false;
    state.focus_input = true;
    state.page = QueryPage::answer;
}

void add_query_tab(QueryPaneState& state) {
    state.tabs.emplace_back().id = state.next_id++;
    show_query_tab(state, state.tabs.size() - 1);
}

void close_query_tab(QueryPaneState& state, std::size_t index) {
    if (state.tabs.size() < 2 || index >= state.tabs.size()) return;
    if (index == state.front) show_query_tab(state, index + 1 < state.tabs.size() ? index + 1 : index - 1);
    state.tabs.erase(state.tabs.begin() + static_cast<std::ptrdiff_t>(index));
    if (state.front > index) --state.front;
}

void draw_query_pane(QueryPaneState& state, const Document* document, Preferences& settings, Requests& requests) {
    draw_query_tabs(state, requests);
    const float width_px = std::max(ImGui::GetContentRegionAvail().x, 1.0F);
    const float share = std::max(settings.query_split, least_input_share(width_px));
    ImGui::BeginChild("query_input", ImVec2(width_px * share, 0.0F));
    draw_query_input(state, settings, requests);
    ImGui::EndChild();
    drag_split(settings, share, width_px);
    ImGui::BeginChild("query_results");
    draw_right_half(state, document, settings, requests);
    ImGui::EndChild();
}

float query_line_height() { return ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().WindowPadding.y; }

void draw_query_line(QueryPaneState& state) {
    draw_query_tools(state);
    ImGui::SameLine();
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5F});
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_FrameBg));
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    if (ImGui::Button("Query this file with SQL…", {-1, 0})) state.focus_input = true;
    report_rect("query_input");
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    if (state.focus_input || state.is_running || state.result || state.error) state.is_open = true;
}

void Queries::draw_panel(const Area& area, Requests& requests) {
    if (session_.focus_next == Pane::query) session_.query.focus_input = true;
    begin_focusable_panel("Query", area, Pane::query, session_.focus_next, session_.focused, ImGuiWindowFlags_NoScrollbar);
    if (session_.query.is_open)
        draw_query_pane(session_.query, session_.document.get(), session_.preferences, requests);
    else
        draw_query_line(session_.query);
    ImGui::End();
}

}  // namespace snapviewer
