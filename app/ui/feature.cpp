#include "app/ui/feature.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>
#include <utility>

namespace snapviewer {
namespace {

constexpr std::array k_menus = {MenuRow{Menu::file, "file", "File"},
                                MenuRow{Menu::view, "view", "View"},
                                MenuRow{Menu::picture, "picture", "Picture"},
                                MenuRow{Menu::panels, "panels", "Panels"},
                                MenuRow{Menu::tools, "tools", "Tools"},
                                MenuRow{Menu::help, "help", "Help"},
                                MenuRow{Menu::recent, "file_recent", "Open recent", Menu::file, 105},
                                MenuRow{Menu::theme, "theme", "Theme", Menu::view, 400},
                                MenuRow{Menu::scale, "scale", "Interface size", Menu::view, 410},
                                MenuRow{Menu::colour, "colour", "Colour by", Menu::picture, 100},
                                MenuRow{Menu::overlays, "overlays", "Overlays", Menu::picture, 110},
                                MenuRow{Menu::query, "query", "Query", Menu::tools, 200}};

std::pair<Menu, int> order(const Command& command) { return {command.menu, command.place}; }

const Command* find_in(const std::vector<Command>& commands, std::string_view id) {
    const auto found = std::ranges::find(commands, id, &Command::id);
    return found == commands.end() ? nullptr : &*found;
}

}  // namespace

std::span<const MenuRow> menu_rows() { return k_menus; }

const char* menu_title(Menu menu) {
    const auto found = std::ranges::find(k_menus, menu, &MenuRow::menu);
    return found == k_menus.end() ? "" : found->title;
}

std::string Command::words_now(const Session& session) const {
    const std::string own = own_words ? own_words(session) : "";
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

std::vector<MenuEntry> Commands::entries_of(Menu menu) const {
    std::vector<MenuEntry> entries;
    for (const Command& command : in_menus_) {
        if (command.menu == menu) entries.push_back({.place = command.place, .command = &command});
    }
    for (const MenuRow& row : k_menus) {
        if (row.within == menu && menu != Menu::none) entries.push_back({.place = row.place, .menu = &row});
    }
    std::ranges::stable_sort(entries, {}, &MenuEntry::place);
    return entries;
}

const Command* Commands::find(std::string_view id) const {
    const Command* in_menu = find_in(in_menus_, id);
    return in_menu != nullptr ? in_menu : find_in(of_buttons_, id);
}

}  // namespace snapviewer
