#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/features/preferences.h"
#include "app/features/query/queries.h"
#include "app/features/query/ready_queries.h"
#include "app/features/query/sql_editor_ui.h"
#include "app/features/query/sql_text.h"
#include "app/features/requests.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/query/database.h"

namespace snapviewer::query {
namespace {

constexpr float k_min_card_px = 250;
constexpr float k_card_gap_px = 8;
constexpr float k_card_pad_px = 8;
constexpr int k_card_lines = 4;  // maximum number of text lines on a card

void make_cards(QueryCardsState& cards, std::span<const sqlite::TableDoc> schema, const Preferences& preferences) {
    const QueryCardsState::MadeOf now{cards.wanted, preferences.saved_queries, preferences.query_history};
    if (cards.made_of == now) return;
    cards.made_of = now;
    cards.cards = query_cards(now.saved, now.history, schema, now.wanted);
    cards.tokens.clear();
    for (const QueryCard& card : cards.cards) cards.tokens.push_back(sql_tokens(card.sql, schema));
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
    const auto is_mouse_over = [](const PixelBox& box) { return ImGui::IsMouseHoveringRect(box.min, box.max); };
    parts.is_hovered = ImGui::IsItemHovered();
    parts.is_at_star = parts.is_hovered && is_mouse_over(parts.star);
    parts.is_at_run = parts.is_hovered && is_mouse_over(parts.run);
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

void draw_card_tooltip(const QueryCard& card, const CardParts& parts, bool has_star, bool is_whole) {
    if (!parts.is_hovered) return;
    if (parts.is_at_star)
        item_tooltip(has_star ? "Saved. Click to remove it" : "Save this query");
    else if (parts.is_at_run)
        item_tooltip("Run this query (Ctrl+click)");
    else if (!is_whole)
        row_tooltip(card.text.empty() ? card.sql : card.text + "\n\n" + card.sql);
}

/// Passes the visible part of a clickable area to the observer.
void observe_part(const std::string& name, const PixelBox& box) {
    const ImVec2 low = ImGui::GetWindowDrawList()->GetClipRectMin();
    const ImVec2 high = ImGui::GetWindowDrawList()->GetClipRectMax();
    const float top = std::max(box.min.y, low.y);
    const float bottom = std::min(box.max.y, high.y);
    if (top < bottom) observe_item(name, box.min.x, top, box.max.x, bottom);
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

    void draw(const Database& database) {
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
        observe_item("schema_open_" + table.name);
        ImGui::SameLine(0, 2 * ImGui::GetStyle().ItemSpacing.x);  // same gap as ImGui leaves after the arrow of a tree node
        if (draw_sql_name(table.name, SqlKind::table)) clicked_ = table.name;
        observe_item("schema_" + table.name);
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
        observe_item("schema_" + table.name + "_" + column.name);
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
        for (const FunctionDoc& function : sql_functions()) {
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

constexpr float k_max_query_tab_width_px = 220;
constexpr float k_query_tab_gap_px = 2;

std::string query_tab_name(const QueryTab& tab) {
    const std::string name = query_name(tab.sql);
    return name.empty() ? "New query" : name;
}

constexpr float k_split_px = 6;
constexpr float k_min_input_px = 270;    // minimum width of the input, enough for its buttons
constexpr float k_max_for_input = 0.6F;  // maximum share of the input in a narrow pane

float min_input_share(float width_px) { return std::min(scaled(k_min_input_px) / width_px, k_max_for_input); }

/// Draws the splitter between the input and the result.
void drag_split(Preferences& preferences, float share, float width_px) {
    ImGui::SameLine(0, 0);
    const ImVec2 size(scaled(k_split_px), ImGui::GetContentRegionAvail().y);
    if (const auto moved = splitter("split", size, "query_split", true))
        preferences.query_split = std::clamp(share + *moved / width_px, min_input_share(width_px), 0.85F);
    ImGui::SameLine(0, 0);
}

bool can_run_query(const Session& session) { return has_document(session) && session.preferences.show_query; }

float query_line_height() { return ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().WindowPadding.y; }

}  // namespace

void Queries::connect_running(Switchboard& board) {
    Commands& commands = board.commands;
    const auto has_text = [this](const Session& session) { return can_run_query(session) && !state_.tab().sql.empty(); };
    commands.on(CommandId::query_run, {.is_possible = has_text, .run = [this] { run(false); }});
    commands.on(CommandId::query_run_all, {.is_possible = has_text, .run = [this] { run(true); }});
    commands.on(CommandId::query_stop,
                {.is_possible = [this](const Session&) { return is_running(); }, .run = [this] { stop(); }});
    commands.on(CommandId::query_save, {.is_possible = has_text, .run = [this] { star(state_.tab().sql); }});
    board.handlers.on<PutQuery>([this](const PutQuery& asked) { put(asked); });
    board.handlers.on<RemoveTrack>([this](const RemoveTrack& asked) { remove_track(asked.index); });
}

void Queries::connect_tabs(Switchboard& board) {
    Commands& commands = board.commands;
    const auto has_several_tabs = [this](const Session& session) {
        return can_run_query(session) && state_.tabs.size() > 1;
    };
    commands.on(CommandId::query_new_tab, {.is_possible = has_document, .run = [this] { open_tab(); }});
    commands.on(CommandId::query_next_tab,
                {.is_possible = has_several_tabs, .run = [this] { show_tab((state_.front + 1) % state_.tabs.size()); }});
    commands.on(CommandId::query_close_tab, {.is_possible = has_several_tabs, .run = [this] { close_tab(state_.front); }});
}

void Queries::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::panel,
                            .id = "query",
                            .order = 400,
                            .is_there = [](const Session& session) { return session.preferences.show_query; },
                            .area = PanelArea::bottom,
                            .pane = Pane::query,
                            .share = &session_.preferences.query_fraction,
                            .fixed_height = [this] { return state_.is_open ? 0 : query_line_height(); },
                            .draw = [this](const Area& area, Requests& requests) { draw_panel(area, requests); }});
    board.commands.on(CommandId::view_query, {.is_possible = has_document,
                                              .is_on = [](const Session& session) { return session.preferences.show_query; },
                                              .run =
                                                  [this] {
                                                      bool& is_shown = session_.preferences.show_query;
                                                      is_shown = !is_shown;
                                                      session_.focus_next = is_shown ? Pane::query : Pane::timeline;
                                                  }});
    connect_running(board);
    connect_tabs(board);
}

/// Draws the list of queries: a search field and a card for each saved, recent and ready query. A click puts the query into
/// the input; a click with Ctrl runs it.
void Queries::draw_cards(Requests& requests) {
    QueryCardsState& cards = state_.cards;
    ImGui::SetNextItemWidth(-1);
    const bool is_entered = ImGui::InputTextWithHint("##wanted", "Search saved, recent and ready-made queries",
                                                     &cards.wanted, ImGuiInputTextFlags_EnterReturnsTrue);
    observe_item("query_wanted");
    make_cards(cards, state_.schema(), session_.preferences);
    if (is_entered && !cards.cards.empty()) requests.ask(put_card(cards.cards.front(), ImGui::GetIO().KeyCtrl));
    ImGui::BeginChild("cards");
    if (cards.cards.empty()) ImGui::TextDisabled("No matches");
    const float gap = scaled(k_card_gap_px);
    const float room = ImGui::GetContentRegionAvail().x;
    const float columns = std::max(1.0F, std::floor((room + gap) / (scaled(k_min_card_px) + gap)));
    const ImVec2 size(std::floor((room + gap) / columns - gap),
                      2 * scaled(k_card_pad_px) + k_card_lines * (ImGui::GetTextLineHeight() + scaled(1)));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
    for (std::size_t i = 0; i < cards.cards.size(); ++i) {
        if (i % static_cast<std::size_t>(columns) > 0) ImGui::SameLine();
        ImGui::PushID(static_cast<int>(i));
        draw_card(i, size, requests);
        ImGui::PopID();
    }
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

void Queries::draw_card(std::size_t index, ScreenPoint size, Requests& requests) {
    const QueryCard& card = state_.cards.cards[index];
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const ImVec2 max(min.x + size.x, min.y + size.y);
    const bool is_pressed = click_area("card", size);
    if (!ImGui::IsItemVisible()) return;
    const CardParts parts = parts_of(min, max);
    observe_part(fmt::format("card_{}", index), parts.card);
    observe_part(fmt::format("card_star_{}", index), parts.star);
    observe_part(fmt::format("card_run_{}", index), parts.run);
    const auto& saved = session_.preferences.saved_queries;
    const bool has_star = std::ranges::find(saved, card.sql) != saved.end();
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, parts.is_hovered ? palette().row_hovered : palette().field, scaled(5));
    list->AddRect(min, max, palette().border, scaled(5));
    const bool is_whole = draw_card_text(card, state_.cards.tokens[index], parts);
    const ImVec2 middle((parts.star.min.x + parts.star.max.x) / 2, (parts.star.min.y + parts.star.max.y) / 2);
    if (has_star || parts.is_hovered) draw_star(list, middle, parts.is_at_star, has_star);
    if (parts.is_hovered)
        draw_run(parts);
    else
        draw_source(card.source, parts);
    draw_card_tooltip(card, parts, has_star, is_whole);
    if (!is_pressed) return;
    if (parts.is_at_star)
        requests.later("star " + card.sql, [this, sql = card.sql] { star(sql); });
    else
        requests.ask(put_card(card, parts.is_at_run || ImGui::GetIO().KeyCtrl));
}

/// Draws the tables, their columns and the SQL functions, each with its description, below a search field. A click on a name
/// inserts it into the query.
void Queries::draw_schema() {
    if (state_.database == nullptr) {
        ImGui::TextDisabled("No file open");
        return;
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##wanted", "Search tables, columns and functions; click a name to insert it",
                             &state_.wanted_table);
    observe_item("schema_wanted");
    SchemaPainter painter(lower_case(state_.wanted_table));
    ImGui::BeginChild("tables");
    painter.draw(*state_.database);
    ImGui::EndChild();
    if (const std::optional<std::string> name = painter.take()) insert_name(*name);
}

/// Draws the strip of tabs across the window. It is hidden while there is only one tab.
void Queries::draw_tabs(Requests& requests) {
    if (state_.tabs.size() < 2) return;
    const float height = ImGui::GetTextLineHeight() + scaled(8);
    const ImVec2 begin = ImGui::GetCursorPos();
    const float gap = scaled(k_query_tab_gap_px);
    const float room = ImGui::GetContentRegionAvail().x - height;
    const auto count = static_cast<float>(state_.tabs.size());
    const float width = std::max(1.0F, std::min(scaled(k_max_query_tab_width_px), room / count - gap));
    for (std::size_t i = 0; i < state_.tabs.size(); ++i) {
        const QueryTab& tab = state_.tabs[i];
        const std::string number = std::to_string(i);
        ImGui::PushID(static_cast<int>(tab.id));
        ImGui::SetCursorPos({begin.x + static_cast<float>(i) * (width + gap), begin.y});
        const TabLook look{query_tab_name(tab), tab.sql.empty() ? "Empty" : tab.sql,
                           with_keys("Close", CommandId::query_close_tab), i == state_.front};
        const TabClick click = draw_tab(look, {width, height}, "query_tab_" + number, "query_tab_close_" + number);
        if (click == TabClick::show) requests.later("show query tab " + number, [this, i] { show_tab(i); });
        if (click == TabClick::close) requests.later("close query tab " + number, [this, i] { close_tab(i); });
        ImGui::PopID();
    }
    ImGui::SetCursorPos({begin.x + count * (width + gap), begin.y});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
    if (ImGui::Button("+", {height, height})) requests.ask(RunCommand{CommandId::query_new_tab});
    ImGui::PopStyleVar();
    observe_item("query_tab_new");
    if (ImGui::IsItemHovered())
        item_tooltip(with_keys(command_row(CommandId::query_new_tab).words, CommandId::query_new_tab));
    ImGui::SetCursorPos({begin.x, begin.y + height + scaled(4)});
}

/// Draws the page of the right half; without a result, the list of queries takes its place.
void Queries::draw_right_half(Requests& requests) {
    const QueryTab& tab = state_.tab();
    const bool has_answer = is_running() || (tab.result && !tab.result->columns.empty());
    if (state_.page == QueryPage::tables)
        draw_schema();
    else if (state_.page == QueryPage::answer && has_answer)
        draw_results(requests);
    else if (session_.document == nullptr)
        ImGui::TextDisabled("Open a file to query it with SQL.");
    else
        draw_cards(requests);
}

/// Draws the pane as a single line until its first use. A click into this line opens the pane.
void Queries::draw_line() {
    draw_page_buttons();
    if (state_.page != QueryPage::answer) state_.is_open = true;
    ImGui::SameLine();
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5F});
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_FrameBg));
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    if (ImGui::Button("Query this file with SQL…", {-1, 0})) state_.focus_input = true;
    observe_item("query_input");
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    const QueryTab& tab = state_.tab();
    if (state_.focus_input || is_running() || tab.result || tab.error) state_.is_open = true;
}

void Queries::draw_panel(const Area& area, Requests& requests) {
    if (session_.focus_next == Pane::query) state_.focus_input = true;
    begin_focusable_panel("Query", area, Pane::query, session_.focus_next, session_.focused, ImGuiWindowFlags_NoScrollbar);
    if (state_.is_open) {
        draw_tabs(requests);
        const float width_px = std::max(ImGui::GetContentRegionAvail().x, 1.0F);
        const float share = std::max(session_.preferences.query_split, min_input_share(width_px));
        ImGui::BeginChild("query_input", ImVec2(width_px * share, 0.0F));
        draw_input(requests);
        ImGui::EndChild();
        drag_split(session_.preferences, share, width_px);
        ImGui::BeginChild("query_results");
        draw_right_half(requests);
        ImGui::EndChild();
    } else {
        draw_line();
    }
    ImGui::End();
}

}  // namespace snapviewer::query
