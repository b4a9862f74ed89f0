#include "app/views/query_input.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "app/text/ready_queries.h"
#include "app/text/result_grid.h"
#include "app/text/sql_statements.h"
#include "app/window/fonts.h"
#include "app/window/imgui_keys.h"
#include "app/window/keys.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"
#include "app/window/tooltip.h"

namespace snapviewer {
namespace {

constexpr const char* k_input = "##sql";

constexpr std::size_t k_most_completions = 8;

/// "sum(" of "sum(x)": what is in the brackets is the user's.
std::string completed_text(const SqlName& name) {
    const std::size_t bracket = name.text.find('(');
    return bracket == std::string::npos ? name.text : name.text.substr(0, bracket + 1);
}

void complete(QueryPaneState& state, ImGuiInputTextCallbackData* data, const SqlName& name) {
    const int begin = static_cast<int>(state.word_begin);
    if (begin > data->CursorPos) return;
    data->DeleteChars(begin, data->CursorPos - begin);
    data->InsertChars(begin, completed_text(name).c_str());
}

int follow_input(ImGuiInputTextCallbackData* data) {
    QueryPaneState& state = *static_cast<QueryPaneState*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
        if (!state.completions.empty()) complete(state, data, state.completions.front());
        state.completions.clear();
        return 0;
    }
    if (state.forced_sql) {
        data->DeleteChars(0, data->BufTextLen);
        data->InsertChars(0, state.forced_sql->c_str());
        state.forced_sql.reset();
        data->SelectionStart = state.selection_begin;
        data->SelectionEnd = data->CursorPos = state.selection_end;
    }
    state.caret = data->CursorPos;
    return 0;
}

/// Shows an older (1) or newer (-1) query of the history.
void step_history(QueryPaneState& state, const Settings& settings, int by) {
    const int count = static_cast<int>(settings.query_history.size());
    const int at = std::clamp(state.history_at + by, -1, count - 1);
    if (at == state.history_at) return;
    if (state.history_at < 0) state.history_draft = state.sql;
    state.history_at = at;
    const std::string& sql = at < 0 ? state.history_draft : settings.query_history[static_cast<std::size_t>(count - 1 - at)];
    // The caret stays on the line from which the same key goes on through the history.
    const std::size_t caret = by > 0 ? std::min(sql.find('\n'), sql.size()) : sql.size();
    put_query(state, sql, static_cast<int>(caret), static_cast<int>(caret));
}

void walk_history(QueryPaneState& state, const Settings& settings) {
    if (!state.input_active) return;
    const bool alt = ImGui::GetIO().KeyAlt;
    const std::size_t caret = std::min(static_cast<std::size_t>(state.caret), state.sql.size());
    const bool on_first_line = std::find(state.sql.begin(), state.sql.begin() + static_cast<std::ptrdiff_t>(caret), '\n') ==
                               state.sql.begin() + static_cast<std::ptrdiff_t>(caret);
    const bool on_last_line = state.sql.find('\n', caret) == std::string::npos;
    if ((alt || on_first_line) && key_pressed(Key::up, true)) step_history(state, settings, 1);
    if ((alt || on_last_line) && key_pressed(Key::down, true)) step_history(state, settings, -1);
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

void draw_ready_queries(const QueryPaneState& state, Requests& requests) {
    if (ImGui::Button("Ready queries")) ImGui::OpenPopup("ready");
    report_rect("query_ready");
    if (!ImGui::BeginPopup("ready")) return;
    const auto offer = [&](const ReadyQuery& query) {
        if (ImGui::MenuItem(query.name)) requests.ask(put_ready_query(query));
        if (ImGui::IsItemHovered()) item_tooltip(fmt::format("{}\n\n{}", query.text, query.sql));
    };
    const std::span<const TableDoc> schema =
        state.database == nullptr ? std::span<const TableDoc>() : state.database->schema();
    const std::vector<ReadyQuery> own = ready_queries_of(schema);
    for (const ReadyQuery& query : own) offer(query);
    if (!own.empty()) ImGui::Separator();
    for (const ReadyQuery& query : ready_queries()) offer(query);
    ImGui::EndPopup();
}

void draw_table_doc(QueryPaneState& state, const TableDoc& table) {
    ImGui::PushID(table.name.c_str());
    const bool open = ImGui::TreeNodeEx("##table", ImGuiTreeNodeFlags_None);
    ImGui::SameLine(0.0F, 0.0F);
    if (ImGui::SmallButton(table.name.c_str())) insert_name(state, table.name);
    ImGui::SameLine();
    ImGui::TextDisabled("%s", table.text.c_str());
    if (open) {
        for (const ColumnDoc& column : table.columns) {
            if (ImGui::SmallButton(column.name.c_str())) insert_name(state, column.name);
            ImGui::SameLine();
            ImGui::TextDisabled("%s  %s", column.type.c_str(), column.text.c_str());
        }
        ImGui::TreePop();
    }
    ImGui::PopID();
}

void draw_schema(QueryPaneState& state) {
    if (ImGui::Button("Tables")) ImGui::OpenPopup("schema");
    report_rect("query_tables");
    const float em = ImGui::GetFontSize();
    ImGui::SetNextWindowSizeConstraints(ImVec2(30 * em, 6 * em), ImVec2(60 * em, 30 * em));
    if (!ImGui::BeginPopup("schema")) return;
    if (state.database == nullptr) {
        ImGui::TextDisabled("No file is open");
    } else {
        ImGui::TextDisabled("A click puts the name into the query");
        std::string schema;
        for (const TableDoc& table : state.database->schema()) {
            if (table.is_empty) continue;
            if (std::exchange(schema, table.schema) != table.schema)
                ImGui::TextUnformatted(table.is_of_file
                                           ? fmt::format("Tables of {}, also as {}.NAME", table.file, schema).c_str()
                                           : fmt::format("Tables of B, {}", table.file).c_str());
            draw_table_doc(state, table);
        }
    }
    ImGui::EndPopup();
}

void draw_buttons(QueryPaneState& state, Requests& requests) {
    const float width = scaled(72.0F);
    const bool running = state.is_running;
    ImGui::BeginDisabled(state.database == nullptr || running);
    if (ImGui::Button("Run", ImVec2(width, 0.0F))) requests.ask(RunQuery{});
    report_rect("query_run");
    if (ImGui::IsItemHovered()) item_tooltip("The statement under the caret (Ctrl+Enter); all of them: Ctrl+Shift+Enter");
    ImGui::EndDisabled();
    ImGui::SameLine();
    ImGui::BeginDisabled(!running);
    if (ImGui::Button("Stop", ImVec2(width, 0.0F))) requests.ask(StopQuery{});
    report_rect("query_stop");
    ImGui::EndDisabled();
    ImGui::SameLine();
    draw_query_tools(state, requests);
}

bool has_parameters(const QueryPaneState& state) {
    return state.sql.find(':') != std::string::npos && !sql_parameters(state.sql).empty();
}

/// What the parameters of the text stand for now, a line.
void draw_parameters(const QueryPaneState& state) {
    std::string text;
    for (const std::string& name : sql_parameters(state.sql)) {
        const auto known = std::ranges::find(state.parameters, name, &QueryParameter::name);
        text +=
            (text.empty() ? "" : "   ") + name + " = " + (known == state.parameters.end() ? "?" : cell_text(known->value));
    }
    if (text.empty()) return;
    ImGui::TextDisabled("%s", text.c_str());
    report_rect("query_parameters");
}

/// What the word at the caret may become: Tab takes the first, a click any.
void draw_completions(QueryPaneState& state) {
    if (state.completions.empty()) return;
    ImGui::TextDisabled("Tab:");
    for (std::size_t i = 0; i < state.completions.size(); ++i) {
        const SqlName& name = state.completions[i];
        const std::string& text = name.text;
        const float width = ImGui::CalcTextSize(text.c_str()).x;
        ImGui::SameLine();
        if (width > ImGui::GetContentRegionAvail().x) break;
        if (ImGui::SmallButton(text.c_str())) {
            const std::string taken = completed_text(name);
            std::string sql = state.sql;
            sql.replace(state.word_begin, static_cast<std::size_t>(state.caret) - state.word_begin, taken);
            const int end = static_cast<int>(state.word_begin + taken.size());
            put_query(state, sql, end, end);
            state.completions.clear();
            break;
        }
        report_rect(fmt::format("completion_{}", i));
        if (ImGui::IsItemHovered()) item_tooltip(fmt::format("{}: {}", name.kind, name.doc));
    }
    ImGui::NewLine();
}

void look_for_completions(QueryPaneState& state) {
    // A click on one of them takes the keyboard from the input before it is let go.
    if (!state.input_active && ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;
    state.completions.clear();
    const auto caret = static_cast<std::size_t>(std::max(state.caret, 0));
    if (state.database == nullptr || !state.input_active || caret > state.sql.size()) return;
    SqlCompletion found = complete_sql(state.sql, caret, state.database->schema(), state.parameters, k_most_completions);
    state.word_begin = found.word_begin;
    state.completions = std::move(found.names);
}

/// The message, and the line it is about with a mark under the place.
void draw_error(const QueryPaneState& state) {
    if (!state.error) return;
    ImGui::PushStyleColor(ImGuiCol_Text, palette().danger);
    ImGui::PushTextWrapPos(0.0F);
    if (state.error->offset) {
        const TextPlace place = place_in_text(state.failed_sql, static_cast<std::size_t>(*state.error->offset));
        ImGui::TextUnformatted(
            fmt::format("{} (line {}, column {})", state.error->message, place.line, place.column).c_str());
        ImGui::PopTextWrapPos();
        const std::string mark = std::string(place.column - 1, ' ') + "^";
        const CodeFont code;
        ImGui::TextUnformatted((place.line_text + '\n' + mark).c_str());
    } else {
        ImGui::TextUnformatted(state.error->text().c_str());
        ImGui::PopTextWrapPos();
    }
    ImGui::PopStyleColor();
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

void draw_query_tools(QueryPaneState& state, Requests& requests) {
    draw_ready_queries(state, requests);
    ImGui::SameLine();
    draw_schema(state);
}

void draw_query_input(QueryPaneState& state, const Settings& settings, Requests& requests) {
    draw_buttons(state, requests);
    walk_history(state, settings);
    if (state.focus_input && !state.input_active) {
        focus_next_input(k_input);
        if (!state.forced_sql) {
            state.forced_sql = state.sql;
            state.selection_begin = state.selection_end = state.caret;
        }
    }
    state.focus_input = false;
    const float line_px = ImGui::GetTextLineHeightWithSpacing();
    const float error_px = state.error ? 4 * line_px : 0.0F;
    const float below_px = error_px + (state.completions.empty() ? 0 : line_px) + (has_parameters(state) ? line_px : 0);
    const ImVec2 size(-1.0F, std::max(ImGui::GetContentRegionAvail().y - below_px, 2 * ImGui::GetFrameHeight()));
    const ImGuiInputTextFlags tab =
        state.completions.empty() ? ImGuiInputTextFlags_AllowTabInput : ImGuiInputTextFlags_CallbackCompletion;
    const ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways | tab;
    // ImGui takes Escape for a wish to undo all that was typed.
    const std::optional<std::string> kept = key_pressed(Key::escape) ? std::optional(state.sql) : std::nullopt;
    // Ctrl+Enter, on which ImGui takes the keyboard away; that it runs the query is the keyboard's affair.
    push_font(fonts().code);
    if (ImGui::InputTextMultiline(k_input, &state.sql, size, flags, follow_input, &state)) state.focus_input = true;
    ImGui::PopFont();
    if (kept) state.sql = *kept;
    state.input_active = ImGui::IsItemActive();
    report_rect("query_input");
    draw_completions(state);
    look_for_completions(state);
    draw_parameters(state);
    draw_error(state);
}

}  // namespace snapviewer
