#pragma once

#include <string_view>

#include "core/timeline/emphasis.h"

namespace snapviewer {

/// True if `text` contains the pattern. Works like SQL's LIKE '%pattern%': case-insensitive for ASCII letters, and '%'
/// matches any text. Unlike in SQL, an underscore matches only itself, because names are full of them.
bool contains_pattern(std::string_view text, std::string_view pattern);

/// Highlights the allocations that match a text: a frame of the stack ("file:line:function") or the user metadata contains
/// it, or the text is an address within the allocation. Ignores blanks around the text. An empty text matches nothing.
/// Checks each frame and each metadata text once, not once per allocation, so a million allocations take milliseconds.
Emphasis find_text(const Timeline& timeline, std::string_view text);

}  // namespace snapviewer
