#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/query/sql_tokens.h"

namespace snapviewer {

/// What the input keeps between two frames.
struct SqlEditorState {
    std::string coloured;          ///< the text of the tokens
    std::size_t known_tables = 0;  ///< of the schema that they were told with
    std::vector<SqlToken> tokens;
    bool is_active = false;                      ///< has the keyboard
    int caret = 0;                               ///< byte of the text
    int selection_begin = 0, selection_end = 0;  ///< bytes; none where equal
    double moved_at_s = 0;                       ///< when the caret moved last, by ImGui's clock
};

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

/// An input of several lines in the colours of SQL; what is longer or wider than it scrolls, after the caret. (ImGui breaks
/// no lines in an input.) What is edited, and how, is ImGui's affair; the picture of it is drawn here. Returns whether
/// Ctrl+Enter ended it. Main thread; costs microseconds for a text of some pages.
bool draw_sql_editor(SqlEditorState& state, std::string& sql, const SqlEditorScene& scene);

/// Draws SQL from one of its bytes on in a box, its lines broken where they are longer, as many as have room.
/// Returns whether that was all of them.
bool draw_sql_lines(ImDrawList* list, ImVec2 min, ImVec2 max, std::string_view sql, std::size_t from,
                    std::span<const SqlToken> tokens);

}  // namespace snapviewer
