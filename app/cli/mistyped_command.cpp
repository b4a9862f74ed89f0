#include "app/cli/mistyped_command.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_few_slips = 2;

/// The fewest letters to put in, leave out or replace to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
        }
    }
    return row.back();
}

bool is_one_word(const std::string& word) {
    const auto is_of_word = [](char c) { return is_letter(c) || c == '_' || c == '-'; };
    return !word.empty() && word.front() != '-' && std::ranges::all_of(word, is_of_word);
}

}  // namespace

std::string mistyped_command(const std::string& word, std::span<const std::string> commands) {
    std::error_code ignored;
    if (!is_one_word(word) || commands.empty() || std::ranges::find(commands, word) != commands.end()) return "";
    if (std::filesystem::exists(std::filesystem::symlink_status(word, ignored))) return "";
    const std::string lower = lower_case(word);
    const auto distance = [&](const std::string& command) { return edit_distance(lower, command); };
    const std::string& nearest = *std::ranges::min_element(commands, {}, distance);
    const bool is_near = distance(nearest) <= k_few_slips && distance(nearest) < nearest.size();
    if (is_near || nearest.starts_with(lower))
        return "there is no command or file '" + word + "'; did you mean '" + nearest + "'?";
    std::string known;
    for (const std::string& command : commands) known += (known.empty() ? "" : ", ") + command;
    return "there is no command or file '" + word + "'; the commands are " + known;
}

}  // namespace snapviewer
