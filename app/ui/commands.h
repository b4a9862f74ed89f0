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

/// The menu that contains a command. Commands in `none` are invoked only by buttons.
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

/// A menu of the menu bar, or a submenu.
struct MenuRow {
    Menu menu;
    const char* id;  ///< "colour"; the menu reports its rectangle as "menu_colour"
    const char* title;
    Menu within = Menu::none;
    int place = 0;  ///< sort key among the commands of the parent menu
};

/// All menus in the order of the menu bar.
std::span<const MenuRow> menu_rows();
const char* menu_title(Menu menu);

/// The longest menu that is still easy to scan; move further entries into a submenu.
inline constexpr std::size_t k_most_menu_entries = 16;

/// One action that the user can invoke. Menus, shortcuts, the command palette, the list of shortcuts and crash reports are
/// all generated from this row.
///
///     commands.add({.id = "view_fit", .menu = Menu::view, .place = 100, .words = "Zoom to fit", .synonyms = "reset home
///     whole picture", .keys = "F, Home",
///                   .is_possible = has_any_picture, .run = [this] { fit(state_); }});
struct Command {
    std::string id;  ///< "view_fit"; the menu item reports its rectangle as "menu_view_fit"
    Menu menu = Menu::none;
    int place = 0;  ///< Sort key in its menu; a separator appears between different hundreds
    std::string words = {};
    std::string synonyms = {};                              ///< Other words by which the palette finds the command
    std::string keys = {};                                  ///< Alternative shortcuts as key_chords() reads them: "F, Home"
    std::function<bool(const AppState&)> is_possible = {};  ///< Empty if the command is always enabled
    std::function<bool(const AppState&)> is_on = {};        ///< Whether the toggle is on; empty if the command is no toggle
    std::function<std::string(const AppState&)> doc = {};   ///< Tooltip: what the command does, or why it is disabled
    /// Label that replaces `words` if it depends on the document.
    std::function<std::string(const AppState&)> own_words = {};
    bool keys_while_typing = false;  ///< The shortcuts also work while a text field has the keyboard
    /// The shortcuts also work while a file is being loaded and its progress covers the window.
    bool keys_while_loading = false;
    std::function<void()> run = {};

    bool can_run(const AppState& state) const { return !is_possible || is_possible(state); }
    std::string words_now(const AppState& state) const;
};

/// Request to run the command with this id.
struct RunCommand {
    std::string id;
    std::string words() const { return id; }
};

/// An entry of a menu: a command or a submenu.
struct MenuEntry {
    int place = 0;
    const Command* command = nullptr;
    const MenuRow* menu = nullptr;  ///< The submenu, if `command` is null
};

/// The commands of a window. Main thread.
class Commands {
public:
    /// Precondition: the id and the place in the menu are unique.
    void add(Command command);
    /// nullptr if the id is unknown.
    const Command* find(std::string_view id) const;
    /// All commands that appear in menus, in the order of the menus.
    const std::vector<Command>& in_menus() const { return in_menus_; }
    /// The entries of one menu from top to bottom.
    std::vector<MenuEntry> entries_of(Menu menu) const;

private:
    std::vector<Command> in_menus_;
    std::vector<Command> of_buttons_;
};

}  // namespace snapviewer
