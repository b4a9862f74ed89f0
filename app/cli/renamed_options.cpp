#include "app/cli/renamed_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace snapviewer {

std::span<const RenamedOption> renamed_options() {
    static const std::vector<RenamedOption> all = {};  // example: {"fleet", "--write", "--db", "1.2"}
    return all;
}

std::vector<std::string> use_new_names(std::vector<std::string>& words, std::span<const RenamedOption> renamed) {
    std::vector<std::string> told;
    if (words.empty()) return told;
    const auto use_new_name = [&](std::string& word, std::string_view command) {
        const std::string name = word.substr(0, word.find('='));
        const auto row = std::ranges::find_if(renamed, [&](const RenamedOption& each) {
            return name == each.old_name && (*each.command == '\0' || command == each.command);
        });
        if (row == renamed.end()) return;
        word.replace(0, name.size(), row->new_name);
        told.push_back(fmt::format("{} is called {} since version {}; the old name will go with the next major version",
                                   name, row->new_name, row->since));
    };
    use_new_name(words.front(), "");
    const std::string command = words.front();
    for (auto word = words.begin() + 1; word != words.end() && *word != "--"; ++word) {
        if (word->starts_with("--")) use_new_name(*word, command);
    }
    return told;
}

}  // namespace snapviewer
