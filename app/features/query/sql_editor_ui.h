#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/features/query/sql_text.h"
#include "app/features/query/state.h"

namespace snapviewer {

struct SqlEditorScene {
    const char* label;
    const char* hint;  ///< placeholder for an empty text
    ImVec2 size;
    std::span<const sqlite::TableDoc> schema;
    ImGuiInputTextFlags flags;
    bool takes_keyboard = false;
    std::optional<std::size_t> error_at;  ///< byte offset of an error in the text
    /// called like ImGui's callback, in every frame with the keyboard focus
    std::function<void(ImGuiInputTextCallbackData&)> follow;
};

/// Draws a multi-line input with SQL syntax colours. Long lines wrap; a long text scrolls with the caret. ImGui handles the
/// editing, except for the parts that depend on wrapped lines, which ImGui does not support. Returns true if the user
/// pressed Ctrl+Enter. Main thread; takes microseconds for a text of some pages.
bool draw_sql_editor(SqlEditorState& state, std::string& sql, const SqlEditorScene& scene);

/// Draws wrapped SQL, starting at byte `from`, in a box, as many lines as fit. Returns true if all of it fits.
bool draw_sql_lines(ImDrawList* list, ImVec2 min, ImVec2 max, std::string_view sql, std::size_t from,
                    std::span<const SqlToken> tokens);

}  // namespace snapviewer
