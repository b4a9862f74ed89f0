#pragma once

#include <optional>
#include <string_view>

namespace snapviewer {

/// How well a text answers to what was typed: every word of `typed` (apart by blanks) must be in it, in any order, each
/// whole or at least with its letters in their order. Higher is better: whole words, beginnings of words and letters that
/// stand together count. Letters of either case are the same (ASCII). Nothing typed: 0. nullopt: it does not answer.
std::optional<int> fuzzy_match(std::string_view text, std::string_view typed);

}  // namespace snapviewer
