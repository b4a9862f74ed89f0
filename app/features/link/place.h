#pragma once

#include <string>

#include "app/features/app_state.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/base/result.h"

/// What is on the screen as a text that can be sent to somebody. No GUI in here.
namespace snapviewer {

/// What of a file a link shows.
struct LinkedPlace {
    PictureSpec picture;  ///< names neither files nor sizes
    std::string sql;      ///< to be run; empty for none
};

/// "axis=time&device=1&view=...": the picture, its part in view, colours, search, selection, and the query that was run.
/// Empty where nothing of it can be said.
std::string place_text(const AppState& state);
/// The other way round; `text` may come from anyone. An error names the part that is wrong.
Result<LinkedPlace> parse_place(const std::string& text);
/// What --help says of --show.
inline constexpr const char* k_show_about =
    "What to show of the file: its picture, part, colours, selection and query, as File > Copy the command that opens this "
    "writes them";
/// What is wrong with a text for parse_place(), or nothing.
std::string is_place(const std::string& text);

}  // namespace snapviewer
