#pragma once

#include <span>
#include <string>

#include "app/state/app_state.h"
#include "app/state/requests.h"

namespace snapviewer {

enum class Menu : std::uint8_t { file, edit, view, colour, theme, go, tools, query, help };
const char* menu_title(Menu menu);
/// What a picture of a device shows, as a sentence.
const char* view_kind_doc(ViewKind kind);

/// Something the user can have done by a menu, by a key and by the command palette, each of which is drawn from the one
/// table of all_actions().
struct UserAction {
    const char* id;  ///< "view_fit"; the item of the menu reports its rectangle as "menu_view_fit"
    Menu menu;
    const char* words;
    const char* keys;  ///< "F, Home": either of them, spelled as key_chords() reads them; "" for none
    Request request;
    bool (*is_possible)(const AppState&);
    bool (*is_on)(const AppState&) = nullptr;             ///< where it switches something
    std::string (*doc)(const AppState&) = nullptr;        ///< what it does, or why it cannot be done
    std::string (*own_words)(const AppState&) = nullptr;  ///< instead of `words`, where they depend on the file
    bool keys_while_typing = false;                       ///< its keys count while a text field has the keyboard, too
    bool begins_group = false;                            ///< a line above it in the menu
};

/// In the order of the menus.
std::span<const UserAction> all_actions();

std::string action_words(const UserAction& action, const AppState& state);

}  // namespace snapviewer
