#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "app/features/query/queries.h"
#include "app/features/query/sql_editor_ui.h"
#include "app/features/query/sql_text.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/keys.h"
#include "app/ui/result_grid.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"

namespace snapviewer {
namespace {

constexpr float k_narrowest_field_px = 165;
constexpr float k_parameter_name_px = 92;
constexpr std::size_t k_max_fields = 12;

std::vector<std::string> fields_of(const QueryPaneState& state) {
    if (state.sql.find(':') == std::string::npos) return {};
    std::vector<std::string> names = sql_parameters(state.sql);
    if (names.size() > k_max_fields) names.resize(k_max_fields);
    return names;
}

std::size_t field_columns(float width_px) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    return static_cast<std::size_t>(std::max(1.0F, std::floor((width_px + gap) / (scaled(k_narrowest_field_px) + gap))));
}

/// Returns the window's value of a built-in parameter as a text; nullopt for any other name.
std::optional<std::string> value_in_window(const QueryPaneState& state, const std::string& name) {
    const auto known = std::ranges::find(state.parameters, name, &query::QueryParameter::name);
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

/// Returns the height of the parameter fields at the width of the current window; 0 if the query has no parameters.
float parameter_fields_height(const QueryPaneState& state) {
    const std::size_t count = fields_of(state).size();
    const std::size_t columns = field_columns(ImGui::GetContentRegionAvail().x);
    return static_cast<float>((count + columns - 1) / columns) * ImGui::GetFrameHeightWithSpacing();
}

/// Draws a field for each parameter of the query. It shows the window's value as a hint and accepts another one.
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

constexpr const char* k_input = "##sql";

constexpr std::size_t k_max_completions = 8;
constexpr float k_names_share = 0.55F;  // share of the line for the completions; the rest describes the first one

/// Returns "sum(" for "sum(x)", because the user fills in the arguments.
std::string completed_text(const SqlName& name) {
    const std::size_t bracket = name.text.find('(');
    return bracket == std::string::npos ? name.text : name.text.substr(0, bracket + 1);
}

void complete(const QueryPaneState& state, ImGuiInputTextCallbackData& data, const SqlName& name) {
    const int begin = static_cast<int>(state.word_begin);
    if (begin > data.CursorPos) return;
    data.DeleteChars(begin, data.CursorPos - begin);
    data.InsertChars(begin, completed_text(name).c_str());
}

void follow_input(QueryPaneState& state, ImGuiInputTextCallbackData& data) {
    if (data.EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
        if (!state.completions.empty()) complete(state, data, state.completions.front());
        state.completions.clear();
        return;
    }
    if (state.forced_sql) {
        data.DeleteChars(0, data.BufTextLen);
        data.InsertChars(0, state.forced_sql->c_str());
        state.forced_sql.reset();
        data.SelectionStart = state.selection_begin;
        data.SelectionEnd = data.CursorPos = state.selection_end;
    }
    state.caret = data.CursorPos;
}

/// Goes one query back (1) or forward (-1) in the history.
void step_history(QueryPaneState& state, const Preferences& settings, int by) {
    const int count = static_cast<int>(settings.query_history.size());
    const int at = std::clamp(state.history_at + by, -1, count - 1);
    if (at == state.history_at) return;
    if (state.history_at < 0) state.history_draft = state.sql;
    state.history_at = at;
    const std::string& sql = at < 0 ? state.history_draft : settings.query_history[static_cast<std::size_t>(count - 1 - at)];
    // Puts the caret on the line from which the same key continues through the history.
    const std::size_t caret = by > 0 ? 0 : sql.size();
    put_query(state, sql, static_cast<int>(caret), static_cast<int>(caret));
}

void walk_history(QueryPaneState& state, const Preferences& settings) {
    if (!state.input_active) return;
    const bool alt = ImGui::GetIO().KeyAlt;
    if ((alt || state.editor.is_on_first_line) && key_pressed(Key::up, true)) step_history(state, settings, 1);
    if ((alt || state.editor.is_on_last_line) && key_pressed(Key::down, true)) step_history(state, settings, -1);
}

/// Draws a button that shows a page in the right half, or hides it if it is shown.
void draw_page_button(QueryPaneState& state, QueryPage page, const char* words, const char* told) {
    const bool is_shown = state.page == page;
    if (is_shown) ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
    if (ImGui::Button(words)) state.page = is_shown ? QueryPage::answer : page;
    if (is_shown) ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) item_tooltip(told);
}

void draw_page_buttons(QueryPaneState& state) {
    draw_page_button(state, QueryPage::cards, "Queries", "Saved, recent and ready-made queries");
    report_rect("query_ready");
    ImGui::SameLine();
    draw_page_button(state, QueryPage::tables, "Tables", "Tables, columns and functions");
    report_rect("query_tables");
}

/// Draws the Run button, or Stop if the query has been running for long enough to be worth stopping.
void draw_run_button(const QueryPaneState& state, Requests& requests) {
    constexpr double k_worth_stopping_ms = 150;
    const ImVec2 size(scaled(64), 0);
    if (state.is_running && state.running_ms > k_worth_stopping_ms) {
        if (ImGui::Button("Stop", size)) requests.ask(RunCommand{CommandId::query_stop});
        report_rect("query_stop");
        return;
    }
    ImGui::BeginDisabled(state.database == nullptr || state.is_running || state.sql.empty());
    if (ImGui::Button("Run", size)) requests.ask(RunCommand{CommandId::query_run});
    report_rect("query_run");
    if (ImGui::IsItemHovered())
        item_tooltip(with_keys("Run the statement at the cursor", CommandId::query_run) +
                     with_keys(" or all statements", CommandId::query_run_all));
    ImGui::EndDisabled();
}

void draw_buttons(QueryPaneState& state, const Preferences& settings, Requests& requests) {
    draw_run_button(state, requests);
    ImGui::SameLine();
    draw_page_buttons(state);
    ImGui::SameLine();
    const bool has_star = std::ranges::find(settings.saved_queries, state.sql) != settings.saved_queries.end();
    ImGui::BeginDisabled(state.sql.empty());
    if (star_button("star", has_star)) requests.ask(RunCommand{CommandId::query_save});
    ImGui::EndDisabled();
    report_rect("query_star");
    if (ImGui::IsItemHovered())
        item_tooltip(with_keys(has_star ? "Saved. Click to remove it" : "Save this query", CommandId::query_save));
    if (state.tabs.size() > 1) return;  // with several tabs, the strip of tabs has its own button for a new tab
    ImGui::SameLine();
    if (ImGui::Button("+", {ImGui::GetFrameHeight(), 0})) requests.ask(RunCommand{CommandId::query_new_tab});
    report_rect("query_tab_new");
    if (ImGui::IsItemHovered())
        item_tooltip(with_keys(command_row(CommandId::query_new_tab).words, CommandId::query_new_tab));
}

void take_completion(QueryPaneState& state, const SqlName& name) {
    const std::string taken = completed_text(name);
    std::string sql = state.sql;
    sql.replace(state.word_begin, static_cast<std::size_t>(state.caret) - state.word_begin, taken);
    const int end = static_cast<int>(state.word_begin + taken.size());
    put_query(state, sql, end, end);
    state.completions.clear();
}

std::string told_of(const SqlName& name) { return fmt::format("{}: {}. {}", name.text, name.kind, name.doc); }

void draw_told_name(const SqlName& name) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float right = at.x + ImGui::GetContentRegionAvail().x;
    const float width = std::max(1.0F, right - at.x);
    click_area("told", {width, ImGui::GetTextLineHeight()});
    draw_cut_text(ImGui::GetWindowDrawList(), at, right, palette().text_dim, told_of(name));
    report_rect("query_told");
    if (ImGui::IsItemHovered()) item_tooltip(told_of(name));
}

/// Draws one line of help: the completions of the word at the caret and a description of the first one, else a description
/// of the name at the caret. Tab inserts the first completion; a click inserts any.
void draw_help_line(QueryPaneState& state) {
    const float line_begin = ImGui::GetCursorPosX();
    const float names_end = line_begin + k_names_share * ImGui::GetContentRegionAvail().x;
    if (state.completions.empty()) {
        if (state.name_at_caret)
            draw_told_name(*state.name_at_caret);
        else
            ImGui::TextDisabled("%s to run, Tab to complete", keys_of(CommandId::query_run));
        return;
    }
    const SqlName first = state.completions.front();
    ImGui::TextDisabled("Tab:");
    for (std::size_t i = 0; i < state.completions.size(); ++i) {
        const SqlName name = state.completions[i];
        ImGui::SameLine();
        if (i > 0 && ImGui::GetCursorPosX() + ImGui::CalcTextSize(name.text.c_str()).x > names_end) break;
        const bool is_clicked = ImGui::SmallButton(name.text.c_str());
        report_rect(fmt::format("completion_{}", i));
        if (ImGui::IsItemHovered()) item_tooltip(told_of(name));
        if (is_clicked) {
            take_completion(state, name);
            break;
        }
    }
    ImGui::SameLine();
    draw_told_name(first);
}

void look_for_completions(QueryPaneState& state) {
    // A click on a completion takes the keyboard focus from the input before the button is released.
    if (!state.input_active && ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    state.completions.clear();
    state.name_at_caret.reset();
    const auto caret = static_cast<std::size_t>(std::max(state.caret, 0));
    if (state.database == nullptr || !state.input_active || caret > state.sql.size()) return;
    const std::span<const sqlite::TableDoc> schema = state.database->schema();
    SqlCompletion found = complete_sql(state.sql, caret, schema, state.parameters, k_max_completions);
    state.word_begin = found.word_begin;
    state.completions = std::move(found.names);
    if (state.completions.empty()) state.name_at_caret = sql_name_at(state.sql, caret, schema);
}

std::string error_text(const QueryPaneState& state) {
    if (!state.error) return {};
    if (!state.error->offset) return state.error->text();
    const TextPlace place = place_in_text(state.failed_sql, static_cast<std::size_t>(*state.error->offset));
    return fmt::format("{} (line {}, column {})", state.error->message, place.line, place.column);
}

float error_height(const QueryPaneState& state) {
    if (!state.error) return 0;
    const float width = ImGui::GetContentRegionAvail().x;
    const float text_px = ImGui::CalcTextSize(error_text(state).c_str(), nullptr, false, width).y;
    return text_px + ImGui::GetStyle().ItemSpacing.y;
}

/// Returns the byte offset of the error in the input; nullopt if the failed statement is no longer in the text.
std::optional<std::size_t> error_place(const QueryPaneState& state) {
    if (!state.error || !state.error->offset) return std::nullopt;
    const std::size_t statement = state.sql.find(state.failed_sql);
    if (statement == std::string::npos) return std::nullopt;
    return statement + static_cast<std::size_t>(*state.error->offset);
}

void draw_error(const QueryPaneState& state) {
    if (!state.error) return;
    wrapped_text(palette().danger, error_text(state));
    report_rect("query_error");
}

}  // namespace

void put_query(QueryPaneState& state, const std::string& sql, int begin, int end) {
    state.sql = sql;
    state.forced_sql = sql;
    state.selection_begin = begin;
    state.selection_end = end;
    state.caret = end;
    state.focus_input = true;
}

void insert_name(QueryPaneState& state, const std::string& name) {
    const std::size_t at = std::min(static_cast<std::size_t>(state.caret), state.sql.size());
    std::string sql = state.sql;
    std::string text = name;
    if (at > 0 && !std::strchr(" \n\t(.,", sql[at - 1])) text.insert(0, " ");
    sql.insert(at, text);
    const int end = static_cast<int>(at + text.size());
    put_query(state, sql, end, end);
}

void draw_query_tools(QueryPaneState& state) {
    draw_page_buttons(state);
    if (state.page != QueryPage::answer) state.is_open = true;
}

void draw_query_input(QueryPaneState& state, const Preferences& settings, Requests& requests) {
    draw_buttons(state, settings, requests);
    walk_history(state, settings);
    const bool takes_keyboard = state.focus_input && !state.input_active;
    if (takes_keyboard && !state.forced_sql) {
        state.forced_sql = state.sql;
        state.selection_begin = state.selection_end = state.caret;
    }
    state.focus_input = false;
    const float line_px = ImGui::GetTextLineHeightWithSpacing();
    const float below_px = error_height(state) + line_px + parameter_fields_height(state);
    const ImVec2 size(-1.0F, std::max(ImGui::GetContentRegionAvail().y - below_px, 2 * ImGui::GetFrameHeight()));
    const ImGuiInputTextFlags tab =
        state.completions.empty() ? ImGuiInputTextFlags_AllowTabInput : ImGuiInputTextFlags_CallbackCompletion;
    // ImGui would treat Escape as a request to revert the text.
    const std::optional<std::string> kept = key_pressed(Key::escape) ? std::optional(state.sql) : std::nullopt;
    const SqlEditorScene scene{k_input,
                               "Type SQL, or pick a query",
                               size,
                               state.database == nullptr ? std::span<const sqlite::TableDoc>() : state.database->schema(),
                               ImGuiInputTextFlags_EnterReturnsTrue | tab,
                               takes_keyboard,
                               error_place(state),
                               [&](ImGuiInputTextCallbackData& data) { follow_input(state, data); }};
    ImGui::PushID(static_cast<int>(state.id));
    // ImGui drops the keyboard focus at Ctrl+Enter, so it is requested again. The keyboard shortcut itself runs the query.
    if (draw_sql_editor(state.editor, state.sql, scene)) state.focus_input = true;
    ImGui::PopID();
    if (kept) state.sql = *kept;
    state.input_active = state.editor.is_active;
    report_rect("query_input");
    draw_help_line(state);
    look_for_completions(state);
    draw_parameter_fields(state);
    draw_error(state);
}

}  // namespace snapviewer
