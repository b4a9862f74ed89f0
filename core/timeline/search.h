#pragma once

#include <string_view>

#include "core/timeline/emphasis.h"

namespace snapviewer {

/// Whether `text` contains the pattern, as SQL's LIKE '%pattern%' would have it: letters of either case are the same
/// (ASCII), '%' stands for any text. An underscore is only itself, since names are full of them.
bool contains_pattern(std::string_view text, std::string_view pattern);

/// The allocations that a text names: a line of whose stack ("file:line:function") or whose user metadata contains it, or,
/// where the text is a number, whose memory holds that address. Blanks around the text do not count; an empty text finds
/// nothing. Each frame and each metadata is looked at once, not once per allocation: milliseconds for a million of these.
Emphasis find_text(const Timeline& timeline, std::string_view text);

}  // namespace snapviewer
