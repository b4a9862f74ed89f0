#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/features/query/queries.h"
#include "app/features/query/sql_text.h"

namespace snapviewer::query {

/// Draws a multi-line input with SQL syntax colours for the text of the tab in front. Long lines wrap; a long text scrolls
/// with the caret. ImGui handles the editing, except for the parts that depend on wrapped lines, which ImGui does not
/// support. `error_at` is the byte offset of an error in the text. Returns true if the user pressed Ctrl+Enter. Main thread;
/// takes microseconds for a text of some pages.
bool draw_sql_editor(QueryPaneState& pane, ImVec2 size, bool takes_keyboard, std::optional<std::size_t> error_at);

/// The text that a completion inserts: "sum(" for "sum(x)", because the user fills in the arguments.
std::string completed_text(const SqlName& name);

/// Draws wrapped SQL, starting at byte `from`, in a box, as many lines as fit. Returns true if all of it fits.
bool draw_sql_lines(ImDrawList* list, ImVec2 min, ImVec2 max, std::string_view sql, std::size_t from,
                    std::span<const SqlToken> tokens);

}  // namespace snapviewer::query
