#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/query/sql_page.h"
#include "app/features/query/sql_tokens.h"

namespace snapviewer {

/// What the input keeps between two frames.
struct SqlEditorState {
    std::string coloured;          ///< the text of the tokens
    std::size_t known_tables = 0;  ///< of the schema that they were told with
    std::vector<SqlToken> tokens;
    bool is_active = false;                                ///< has the keyboard
    int caret = 0;                                         ///< byte of the text
    int selection_begin = 0, selection_end = 0;            ///< bytes; none where equal
    double moved_at_s = 0;                                 ///< when the caret moved last, by ImGui's clock
    bool is_on_first_line = true, is_on_last_line = true;  ///< of the screen: where the caret is
    float column_px = 0;                                   ///< to which Up and Down keep
    int column_of = -1;                                    ///< the caret that they left
    std::optional<SqlLine> pressed;                        ///< what the mouse button went down on, while it is down
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

/// An input of several lines in the colours of SQL. Long lines go on in the next; what is higher than the input scrolls,
/// after the caret. What is edited, and how, is ImGui's affair, but for what depends on where lines are broken: ImGui breaks
/// none. Returns whether Ctrl+Enter ended it. Main thread; costs microseconds for a text of some pages.
bool draw_sql_editor(SqlEditorState& state, std::string& sql, const SqlEditorScene& scene);

/// Draws SQL from one of its bytes on in a box, its lines broken where they are longer, as many as have room.
/// Returns whether that was all of them.
bool draw_sql_lines(ImDrawList* list, ImVec2 min, ImVec2 max, std::string_view sql, std::size_t from,
                    std::span<const SqlToken> tokens);

}  // namespace snapviewer
