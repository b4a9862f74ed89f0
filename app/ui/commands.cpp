#include "app/ui/commands.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>
#include <utility>

namespace snapviewer {
namespace {

std::pair<Menu, int> order(const Command& command) { return {command.menu, command.place}; }

const Command* find_in(const std::vector<Command>& commands, std::string_view id) {
    const auto found = std::ranges::find(commands, id, &Command::id);
    return found == commands.end() ? nullptr : &*found;
}

}  // namespace

const char* menu_title(Menu menu) {
    constexpr std::array k_titles = {"", "File", "Edit", "View", "Colour by", "Theme", "Go", "Tools", "Query", "Help"};
    return k_titles[static_cast<std::size_t>(menu)];
}

std::string Command::words_now(const AppState& state) const {
    const std::string own = own_words ? own_words(state) : "";
    return own.empty() ? words : own;
}

void Commands::add(Command command) {
    assert(find(command.id) == nullptr && command.run);
    if (command.menu == Menu::none) {
        of_buttons_.push_back(std::move(command));
        return;
    }
    const auto behind = std::ranges::upper_bound(in_menus_, order(command), {}, order);
    assert(behind == in_menus_.begin() || order(*std::prev(behind)) != order(command));
    in_menus_.insert(behind, std::move(command));
}

const Command* Commands::find(std::string_view id) const {
    const Command* in_menu = find_in(in_menus_, id);
    return in_menu != nullptr ? in_menu : find_in(of_buttons_, id);
}

}  // namespace snapviewer
