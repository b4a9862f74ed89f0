#pragma once

#include <optional>
#include <string_view>

namespace snapviewer {

/// How well a text answers to what was typed: every word of `typed` (apart by blanks) must be in it, in any order, each
/// whole or with its letters at the beginnings of words. Higher is better: what stands there whole, at the beginning of a
/// word and near that of the text. Letters of either case are the same (ASCII). Nothing typed: 0. nullopt: it does not
/// answer.
std::optional<int> fuzzy_match(std::string_view text, std::string_view typed);

}  // namespace snapviewer
