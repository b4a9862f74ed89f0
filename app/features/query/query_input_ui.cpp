#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/features/query/queries.h"
#include "app/features/query/sql_editor_ui.h"
#include "app/features/query/sql_text.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/result_grid.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"

namespace snapviewer::query {
namespace {

constexpr float k_min_field_px = 165;
constexpr float k_parameter_name_px = 92;
constexpr std::size_t k_max_fields = 12;

/// The parameters of a query that get a field.
std::vector<std::string> fields_of(const std::string& sql) {
    if (sql.find(':') == std::string::npos) return {};
    std::vector<std::string> names = sql_parameters(sql);
    if (names.size() > k_max_fields) names.resize(k_max_fields);
    return names;
}

std::size_t field_columns(float width_px) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    return static_cast<std::size_t>(std::max(1.0F, std::floor((width_px + gap) / (scaled(k_min_field_px) + gap))));
}

/// Returns the window's value of a built-in parameter as a text; nullopt for any other name.
std::optional<std::string> value_in_window(const QueryPaneState& state, const std::string& name) {
    const auto known = std::ranges::find(state.parameters, name, &QueryParameter::name);
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
    GivenParameters& all_given = state.tab().given;
    const auto given = all_given.find(name);
    std::string typed = given == all_given.end() ? "" : given->second;
    // A value is stored only when it is typed, so that half-typed parameter names leave no entries behind.
    if (ImGui::InputTextWithHint(("##" + name).c_str(), shown ? shown->c_str() : "a value", &typed)) all_given[name] = typed;
    observe_item("parameter_" + name.substr(1));
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
        item_tooltip(shown ? fmt::format("{} in the window. Type another value to override it", *shown)
                           : "The window has no value for this: type one");
}

/// Returns the height of `count` parameter fields at the width of the current window.
float parameter_fields_height(std::size_t count) {
    const std::size_t columns = field_columns(ImGui::GetContentRegionAvail().x);
    return static_cast<float>((count + columns - 1) / columns) * ImGui::GetFrameHeightWithSpacing();
}

/// Draws a field for each of these parameters. It shows the window's value as a hint and accepts another one.
void draw_parameter_fields(QueryPaneState& state, const std::vector<std::string>& names) {
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

constexpr std::size_t k_max_completions = 8;
constexpr float k_names_share = 0.55F;  // share of the line for the completions; the rest describes the first one

/// Draws a button that shows a page in the right half, or hides it if it is shown.
void draw_page_button(QueryPaneState& state, QueryPage page, const char* words, const char* doc) {
    const bool is_shown = state.page == page;
    if (is_shown) ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
    if (ImGui::Button(words)) state.page = is_shown ? QueryPage::answer : page;
    if (is_shown) ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) item_tooltip(doc);
}

std::string description_of(const SqlName& name) { return fmt::format("{}: {}. {}", name.text, name.kind, name.doc); }

void draw_description(const SqlName& name) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    click_area("told", {width, ImGui::GetTextLineHeight()});
    draw_cut_text(ImGui::GetWindowDrawList(), at, at.x + width, palette().text_dim, description_of(name));
    observe_item("query_told");
    if (ImGui::IsItemHovered()) item_tooltip(description_of(name));
}

std::string error_text(const QueryTab& tab) {
    if (!tab.error) return {};
    if (!tab.error->offset) return tab.error->text();
    const TextPlace place = place_in_text(tab.failed_sql, static_cast<std::size_t>(*tab.error->offset));
    return fmt::format("{} (line {}, column {})", tab.error->message, place.line, place.column);
}

float error_height(const QueryTab& tab) {
    if (!tab.error) return 0;
    const float width = ImGui::GetContentRegionAvail().x;
    const float text_px = ImGui::CalcTextSize(error_text(tab).c_str(), nullptr, false, width).y;
    return text_px + ImGui::GetStyle().ItemSpacing.y;
}

/// Returns the byte offset of the error in the input; nullopt if the failed statement is no longer in the text.
std::optional<std::size_t> error_place(const QueryTab& tab) {
    if (!tab.error || !tab.error->offset) return std::nullopt;
    const std::size_t statement = tab.sql.find(tab.failed_sql);
    if (statement == std::string::npos) return std::nullopt;
    return statement + static_cast<std::size_t>(*tab.error->offset);
}

void draw_error(const QueryTab& tab) {
    if (!tab.error) return;
    wrapped_text(palette().danger, error_text(tab));
    observe_item("query_error");
}

}  // namespace

/// Goes one query back (1) or forward (-1) in the history.
void Queries::step_history(int by) {
    const std::vector<std::string>& history = session_.preferences.query_history;
    const int count = static_cast<int>(history.size());
    const int at = std::clamp(state_.history_at + by, -1, count - 1);
    if (at == state_.history_at) return;
    if (state_.history_at < 0) state_.history_draft = state_.tab().sql;
    state_.history_at = at;
    const std::string& sql = at < 0 ? state_.history_draft : history[static_cast<std::size_t>(count - 1 - at)];
    // Puts the caret on the line from which the same key continues through the history.
    const std::size_t caret = by > 0 ? 0 : sql.size();
    put_text(sql, caret, caret);
}

void Queries::handle_history_keys() {
    if (!state_.input_active) return;
    const bool alt = ImGui::GetIO().KeyAlt;
    if ((alt || state_.editor.is_on_first_line) && key_pressed(Key::up, true)) step_history(1);
    if ((alt || state_.editor.is_on_last_line) && key_pressed(Key::down, true)) step_history(-1);
}

void Queries::draw_page_buttons() {
    draw_page_button(state_, QueryPage::cards, "Queries", "Saved, recent and ready-made queries");
    observe_item("query_ready");
    ImGui::SameLine();
    draw_page_button(state_, QueryPage::tables, "Tables", "Tables, columns and functions");
    observe_item("query_tables");
}

/// Draws the Run button, or Stop if the query has been running for long enough to be worth stopping.
void Queries::draw_run_button(Requests& requests) {
    constexpr double k_min_running_ms = 150;
    const ImVec2 size(scaled(64), 0);
    if (is_running() && running_.elapsed_ms() > k_min_running_ms) {
        if (ImGui::Button("Stop", size)) requests.ask(RunCommand{CommandId::query_stop});
        observe_item("query_stop");
        return;
    }
    ImGui::BeginDisabled(state_.database == nullptr || is_running() || state_.tab().sql.empty());
    if (ImGui::Button("Run", size)) requests.ask(RunCommand{CommandId::query_run});
    observe_item("query_run");
    if (ImGui::IsItemHovered())
        item_tooltip(with_keys("Run the statement at the cursor", CommandId::query_run) +
                     with_keys(" or all statements", CommandId::query_run_all));
    ImGui::EndDisabled();
}

void Queries::draw_input_buttons(Requests& requests) {
    draw_run_button(requests);
    ImGui::SameLine();
    draw_page_buttons();
    ImGui::SameLine();
    const std::string& sql = state_.tab().sql;
    const auto& saved = session_.preferences.saved_queries;
    const bool has_star = std::ranges::find(saved, sql) != saved.end();
    ImGui::BeginDisabled(sql.empty());
    if (star_button("star", has_star)) requests.ask(RunCommand{CommandId::query_save});
    ImGui::EndDisabled();
    observe_item("query_star");
    if (ImGui::IsItemHovered())
        item_tooltip(with_keys(has_star ? "Saved. Click to remove it" : "Save this query", CommandId::query_save));
    if (state_.tabs.size() > 1) return;  // with several tabs, the strip of tabs has its own button for a new tab
    ImGui::SameLine();
    if (ImGui::Button("+", {ImGui::GetFrameHeight(), 0})) requests.ask(RunCommand{CommandId::query_new_tab});
    observe_item("query_tab_new");
    if (ImGui::IsItemHovered())
        item_tooltip(with_keys(command_row(CommandId::query_new_tab).words, CommandId::query_new_tab));
}

void Queries::insert_completion(const SqlName& name) {
    const QueryTab& tab = state_.tab();
    const std::string taken = completed_text(name);
    std::string sql = tab.sql;
    sql.replace(state_.word_begin, static_cast<std::size_t>(tab.caret) - state_.word_begin, taken);
    const std::size_t end = state_.word_begin + taken.size();
    put_text(sql, end, end);
    state_.completions.clear();
}

/// Draws one line of help: the completions of the word at the caret and a description of the first one, else a description
/// of the name at the caret. Tab inserts the first completion; a click inserts any.
void Queries::draw_help_line() {
    const float line_begin = ImGui::GetCursorPosX();
    const float names_end = line_begin + k_names_share * ImGui::GetContentRegionAvail().x;
    if (state_.completions.empty()) {
        if (state_.name_at_caret)
            draw_description(*state_.name_at_caret);
        else
            ImGui::TextDisabled("%s to run, Tab to complete", keys_of(CommandId::query_run));
        return;
    }
    const SqlName first = state_.completions.front();
    ImGui::TextDisabled("Tab:");
    for (std::size_t i = 0; i < state_.completions.size(); ++i) {
        const SqlName name = state_.completions[i];
        ImGui::SameLine();
        if (i > 0 && ImGui::GetCursorPosX() + ImGui::CalcTextSize(name.text.c_str()).x > names_end) break;
        const bool is_clicked = ImGui::SmallButton(name.text.c_str());
        observe_item(fmt::format("completion_{}", i));
        if (ImGui::IsItemHovered()) item_tooltip(description_of(name));
        if (is_clicked) {
            insert_completion(name);
            break;
        }
    }
    ImGui::SameLine();
    draw_description(first);
}

void Queries::update_completions() {
    // A click on a completion takes the keyboard focus from the input before the button is released.
    if (!state_.input_active && ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    const QueryTab& tab = state_.tab();
    state_.completions.clear();
    state_.name_at_caret.reset();
    const auto caret = static_cast<std::size_t>(std::max(tab.caret, 0));
    if (state_.database == nullptr || !state_.input_active || caret > tab.sql.size()) return;
    const std::span<const sqlite::TableDoc> schema = state_.schema();
    SqlCompletion found = complete_sql(tab.sql, caret, schema, state_.parameters, k_max_completions);
    state_.word_begin = found.word_begin;
    state_.completions = std::move(found.names);
    if (state_.completions.empty()) state_.name_at_caret = sql_name_at(tab.sql, caret, schema);
}

/// Draws the buttons, the input with its line of help, and the position of an error.
void Queries::draw_input(Requests& requests) {
    draw_input_buttons(requests);
    handle_history_keys();
    QueryTab& tab = state_.tab();
    const bool takes_keyboard = state_.focus_input && !state_.input_active;
    if (takes_keyboard && !state_.forced_sql) {
        state_.forced_sql = tab.sql;
        state_.selection_begin = state_.selection_end = tab.caret;
    }
    state_.focus_input = false;
    const float line_px = ImGui::GetTextLineHeightWithSpacing();
    const float below_px = error_height(tab) + line_px + parameter_fields_height(fields_of(tab.sql).size());
    const ImVec2 size(-1.0F, std::max(ImGui::GetContentRegionAvail().y - below_px, 2 * ImGui::GetFrameHeight()));
    // ImGui would treat Escape as a request to revert the text.
    const std::optional<std::string> kept = key_pressed(Key::escape) ? std::optional(tab.sql) : std::nullopt;
    ImGui::PushID(static_cast<int>(tab.id));
    // ImGui drops the keyboard focus at Ctrl+Enter, so it is requested again. The keyboard shortcut itself runs the query.
    if (draw_sql_editor(state_, size, takes_keyboard, error_place(tab))) state_.focus_input = true;
    ImGui::PopID();
    if (kept) tab.sql = *kept;
    state_.input_active = state_.editor.is_active;
    observe_item("query_input");
    draw_help_line();
    update_completions();
    draw_parameter_fields(state_, fields_of(tab.sql));
    draw_error(tab);
}

}  // namespace snapviewer::query
