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
#include "app/window/imgui_keys.h"
#include "app/window/keys.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"

namespace snapviewer {
namespace {

constexpr const char* k_input = "##sql";

int follow_input(ImGuiInputTextCallbackData* data) {
    QueryPaneState& state = *static_cast<QueryPaneState*>(data->UserData);
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

/// Returns whether a query was chosen that can be run as it is.
bool draw_ready_queries(QueryPaneState& state, const Document* document) {
    bool run = false;
    if (ImGui::Button("Ready queries")) ImGui::OpenPopup("ready");
    report_rect("query_ready");
    if (!ImGui::BeginPopup("ready")) return false;
    const auto offer = [&](const ReadyQuery& query) {
        if (ImGui::MenuItem(query.name)) {
            const std::string sql = query.sql;
            const std::size_t begin = query.edit == nullptr ? sql.size() : sql.find(query.edit);
            const std::size_t end = query.edit == nullptr ? sql.size() : begin + std::strlen(query.edit);
            put_query(state, sql, static_cast<int>(begin), static_cast<int>(end));
            run = query.edit == nullptr;
        }
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s\n\n%s", query.text, query.sql.c_str());
    };
    const std::span<const TableDoc> schema =
        document == nullptr ? std::span<const TableDoc>() : document->database->schema();
    const std::vector<ReadyQuery> own = ready_queries_of(schema);
    for (const ReadyQuery& query : own) offer(query);
    if (!own.empty()) ImGui::Separator();
    for (const ReadyQuery& query : ready_queries()) offer(query);
    ImGui::EndPopup();
    return run;
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

void draw_schema(QueryPaneState& state, const Document* document) {
    if (ImGui::Button("Tables")) ImGui::OpenPopup("schema");
    report_rect("query_tables");
    const float em = ImGui::GetFontSize();
    ImGui::SetNextWindowSizeConstraints(ImVec2(30 * em, 6 * em), ImVec2(60 * em, 30 * em));
    if (!ImGui::BeginPopup("schema")) return;
    if (document == nullptr) {
        ImGui::TextDisabled("No file is open");
    } else {
        ImGui::TextDisabled("A click puts the name into the query");
        std::string schema;
        for (const TableDoc& table : document->database->schema()) {
            if (table.is_empty) continue;
            if (std::exchange(schema, table.schema) != table.schema)
                ImGui::TextUnformatted(fmt::format("Tables of {}, also as {}.NAME", table.file, schema).c_str());
            draw_table_doc(state, table);
        }
    }
    ImGui::EndPopup();
}

/// Returns whether Run was pressed or a ready query chosen.
bool draw_buttons(QueryPaneState& state, const Document* document, Requests& requests) {
    const float width = scaled(72.0F);
    bool run = false;
    const bool running = state.is_running;
    ImGui::BeginDisabled(document == nullptr || running);
    run |= ImGui::Button("Run", ImVec2(width, 0.0F));
    report_rect("query_run");
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("Ctrl+Enter");
    ImGui::EndDisabled();
    ImGui::SameLine();
    ImGui::BeginDisabled(!running);
    if (ImGui::Button("Stop", ImVec2(width, 0.0F))) requests.ask(StopQuery{});
    report_rect("query_stop");
    ImGui::EndDisabled();
    ImGui::SameLine();
    run |= draw_ready_queries(state, document);
    ImGui::SameLine();
    draw_schema(state, document);
    return run;
}

/// The message, and the line it is about with a mark under the place.
void draw_error(const QueryPaneState& state) {
    if (!state.error) return;
    ImGui::PushStyleColor(ImGuiCol_Text, palette().danger);
    ImGui::PushTextWrapPos(0.0F);
    if (state.error->offset) {
        const TextPlace place = place_in_text(state.ran_sql, static_cast<std::size_t>(*state.error->offset));
        ImGui::TextUnformatted(
            fmt::format("{} (line {}, column {})", state.error->message, place.line, place.column).c_str());
        ImGui::PopTextWrapPos();
        const std::string mark = std::string(place.column - 1, ' ') + "^";
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

void draw_query_input(QueryPaneState& state, const Document* document, const Settings& settings, Requests& requests) {
    const bool run = draw_buttons(state, document, requests);
    walk_history(state, settings);
    if (state.focus_input && !state.input_active) {
        focus_next_input(k_input);
        if (!state.forced_sql) {
            state.forced_sql = state.sql;
            state.selection_begin = state.selection_end = state.caret;
        }
    }
    state.focus_input = false;
    const float error_px = state.error ? 4 * ImGui::GetTextLineHeightWithSpacing() : 0.0F;
    const ImVec2 size(-1.0F, std::max(ImGui::GetContentRegionAvail().y - error_px, 2 * ImGui::GetFrameHeight()));
    const ImGuiInputTextFlags flags =
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AllowTabInput | ImGuiInputTextFlags_CallbackAlways;
    // ImGui takes Escape for a wish to undo all that was typed.
    const std::optional<std::string> kept = key_pressed(Key::escape) ? std::optional(state.sql) : std::nullopt;
    // Ctrl+Enter, on which ImGui takes the keyboard away; that it runs the query is the keyboard's affair.
    if (ImGui::InputTextMultiline(k_input, &state.sql, size, flags, follow_input, &state)) state.focus_input = true;
    if (kept) state.sql = *kept;
    state.input_active = ImGui::IsItemActive();
    report_rect("query_input");
    draw_error(state);
    if (run) requests.ask(RunQuery{});
}

}  // namespace snapviewer
