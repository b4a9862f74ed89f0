#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/request.h"

namespace snapviewer {

struct AppState;

/// Where a command stands; those of `none` are asked for by buttons alone.
enum class Menu : std::uint8_t {
    none,
    file,
    recent,
    view,
    theme,
    scale,
    picture,
    colour,
    overlays,
    panels,
    tools,
    query,
    help
};

/// A menu of the bar, or one within another.
struct MenuRow {
    Menu menu;
    const char* id;  ///< "colour"; the menu reports its rectangle as "menu_colour"
    const char* title;
    Menu within = Menu::none;
    int place = 0;  ///< in the menu that it is within, among the commands
};

/// In the order of the bar.
std::span<const MenuRow> menu_rows();
const char* menu_title(Menu menu);

/// So long a menu is taken in at a glance; what is longer goes into one within it.
inline constexpr std::size_t k_most_menu_entries = 16;

/// One thing that the user can have done: its menu, its keys, the palette, the list of keys and the report of a crash are
/// all made of this row.
///
///     commands.add({.id = "view_fit", .menu = Menu::view, .place = 100, .words = "Zoom to fit", .synonyms = "reset home
///     whole picture", .keys = "F, Home",
///                   .is_possible = has_any_picture, .run = [this] { fit(state_); }});
struct Command {
    std::string id;  ///< "view_fit"; the item of the menu reports its rectangle as "menu_view_fit"
    Menu menu = Menu::none;
    int place = 0;  ///< in its menu; between two hundreds is a line
    std::string words = {};
    std::string synonyms = {};                                   ///< other words by which the palette finds it
    std::string keys = {};                                       ///< "F, Home": either of them, as key_chords() reads them
    std::function<bool(const AppState&)> is_possible = {};       ///< none: always
    std::function<bool(const AppState&)> is_on = {};             ///< where it switches something
    std::function<std::string(const AppState&)> doc = {};        ///< what it does, or why it cannot be done
    std::function<std::string(const AppState&)> own_words = {};  ///< instead of `words`, where they depend on the file
    bool keys_while_typing = false;                              ///< its keys count while a text field has the keyboard, too
    bool keys_while_loading = false;                             ///< and while a file on its way covers the window
    std::function<void()> run = {};

    bool can_run(const AppState& state) const { return !is_possible || is_possible(state); }
    std::string words_now(const AppState& state) const;
};

/// Asks for a command by its id.
struct RunCommand {
    std::string id;
    std::string words() const { return id; }
};

/// What stands at a place of a menu: a command, or a menu within it.
struct MenuEntry {
    int place = 0;
    const Command* command = nullptr;
    const MenuRow* menu = nullptr;  ///< where there is no command
};

/// The commands of a window. Main thread.
class Commands {
public:
    /// Its id is no other's, nor is its place in a menu.
    void add(Command command);
    /// Null for an id that none has.
    const Command* find(std::string_view id) const;
    /// Those that stand in a menu, in the order of the menus.
    const std::vector<Command>& in_menus() const { return in_menus_; }
    /// From top to bottom.
    std::vector<MenuEntry> entries_of(Menu menu) const;

private:
    std::vector<Command> in_menus_;
    std::vector<Command> of_buttons_;
};

}  // namespace snapviewer
