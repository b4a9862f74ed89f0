#pragma once

#include <string>

#include "app/features/app_state.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/base/result.h"

/// The current view as a text that can be shared as a link. No GUI dependencies.
namespace snapviewer {

/// The view of a file that a link describes.
struct LinkedPlace {
    PictureSpec picture;  ///< the picture; its file and size are not set
    std::string sql;      ///< query to run; empty for none
};

/// Returns the current view as "axis=time&device=1&view=...": the picture, its part in view, colours, search, selection,
/// and the query that was run. Empty if the view cannot be expressed as a link.
std::string place_text(const AppState& state);
/// Parses the output of `place_text()`; `text` is untrusted. An error names the invalid part.
Result<LinkedPlace> parse_place(const std::string& text);
/// Help text of the option --show.
inline constexpr const char* k_show_about =
    "What to show of the file: its picture, part, colours, selection and query, as File > Copy the command that opens this "
    "writes them";
/// Returns why `parse_place()` would reject `text`, or "" if it is valid.
std::string is_place(const std::string& text);

}  // namespace snapviewer
