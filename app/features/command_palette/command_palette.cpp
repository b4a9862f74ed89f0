#include "app/features/command_palette/command_palette.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>

#include "core/base/text.h"

namespace snapviewer {
namespace {

bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c) || (c & 0x80) != 0; }

bool begins_word(std::string_view text, std::size_t at) { return at == 0 || !is_letter_or_digit(text[at - 1]); }

bool is_same(char a, char b) { return lower_case(a) == lower_case(b); }

/// Scores a word that occurs verbatim in the text: higher at the start of a word, and nearer to the start of the text.
std::optional<int> match_whole(std::string_view text, std::string_view word) {
    std::optional<int> best;
    auto from = text.begin();
    while (true) {
        const auto found = std::search(from, text.end(), word.begin(), word.end(), is_same);
        if (found == text.end()) return best;
        const auto at = static_cast<std::size_t>(found - text.begin());
        const int nearness = -static_cast<int>(std::min<std::size_t>(at, 50));
        const int points = 200 + 10 * static_cast<int>(word.size()) + (begins_word(text, at) ? 100 : 0) + nearness;
        best = std::max(best.value_or(points), points);
        from = found + 1;
    }
}

/// True if the letters of `word` occur in order, each at the start of a word or right after the previous match: "zts" for
/// "Zoom to the selection".
bool match_letters(std::string_view text, std::string_view word, std::size_t from) {
    if (word.empty()) return true;
    for (std::size_t at = from; at < text.size(); ++at) {
        const bool may_stand = begins_word(text, at) || (from > 0 && at == from);
        if (may_stand && is_same(text[at], word[0]) && match_letters(text, word.substr(1), at + 1)) return true;
    }
    return false;
}

}  // namespace

std::optional<int> fuzzy_match(std::string_view text, std::string_view typed) {
    int points = 0;
    while (true) {
        const std::size_t begin = typed.find_first_not_of(' ');
        if (begin == typed.npos) return points;
        typed.remove_prefix(begin);
        const std::string_view word = typed.substr(0, typed.find(' '));
        typed.remove_prefix(word.size());
        std::optional<int> found = match_whole(text, word);
        if (!found && match_letters(text, word, 0)) found = 0;
        if (!found) return std::nullopt;
        points += *found;
    }
}

namespace {

using JsonValue = nlohmann::json;

JsonValue palette_report(const PaletteState& palette) {
    if (!palette.is_open) return nullptr;
    JsonValue matches = JsonValue::array();
    for (std::size_t i = 0; i < std::min(palette.matches.size(), k_reported_rows); ++i)
        matches.push_back({{"kind", palette.matches[i]->kind}, {"words", palette.matches[i]->words}});
    return {{"typed", palette.typed},
            {"chosen", palette.chosen},
            {"has_stacks", palette.has_stacks},
            {"first_matches", matches}};
}

}  // namespace

void PaletteFiller::describe(nlohmann::json& report) const { report["palette"] = palette_report(state_); }

}  // namespace snapviewer
