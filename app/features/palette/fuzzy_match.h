#pragma once

#include <optional>
#include <string_view>

namespace snapviewer {

/// Scores how well `text` matches a typed pattern; nullopt if it does not. Every word of `typed`, separated by blanks, must
/// occur, in any order, either verbatim or by its letters at the starts of words. The score is higher for verbatim words,
/// most of all at the start of a word and near the start of the text. Case-insensitive for ASCII. An empty pattern scores
/// 0.
std::optional<int> fuzzy_match(std::string_view text, std::string_view typed);

}  // namespace snapviewer
