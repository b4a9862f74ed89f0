#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/features/query/sql_tokens.h"
#include "app/features/query/state.h"

namespace snapviewer {

struct SqlEditorScene {
    const char* label;
    const char* hint;  ///< in place of no text
    ImVec2 size;
    std::span<const TableDoc> schema;
    ImGuiInputTextFlags flags;
    bool takes_keyboard = false;
    std::optional<std::size_t> error_at;                      ///< byte of the text at which something is wrong
    std::function<void(ImGuiInputTextCallbackData&)> follow;  ///< as ImGui's callback, in every frame with the keyboard
};

/// An input of several lines in the colours of SQL. Long lines go on in the next; what is higher than the input scrolls,
/// after the caret. What is edited, and how, is ImGui's affair, but for what depends on where lines are broken: ImGui breaks
/// none. Returns whether Ctrl+Enter ended it. Main thread; costs microseconds for a text of some pages.
bool draw_sql_editor(SqlEditorState& state, std::string& sql, const SqlEditorScene& scene);

/// Draws SQL from one of its bytes on in a box, its lines broken where they are longer, as many as have room.
/// Returns whether that was all of them.
bool draw_sql_lines(ImDrawList* list, ImVec2 min, ImVec2 max, std::string_view sql, std::size_t from,
                    std::span<const SqlToken> tokens);

}  // namespace snapviewer
