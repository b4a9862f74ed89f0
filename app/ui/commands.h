#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

struct Session;

/// The menu that contains a command. Commands in `none` are invoked only by buttons and by other commands.
enum class Menu : std::uint8_t {
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
    help,
    none
};

/// All commands, menu by menu, in the order in which they appear there. The table in commands.cpp has a row for each.
enum class CommandId : std::uint8_t {
    file_open,
    file_open_tab,
    file_open_fleet,
    file_open_with,
    file_compare,
    file_reload,
    file_save_picture,
    edit_copy_command,
    file_copy_link,
    go_next_tab,
    go_previous_tab,
    file_close,
    file_quit,

    view_fit,
    view_zoom,
    view_nearer,
    view_farther,
    view_back,
    view_forward,
    go_peak,
    go_next_marker,
    go_previous_marker,
    view_time,
    view_clock,
    view_full_screen,
    view_next_pane,

    theme_system,
    theme_dark,
    theme_light,

    view_larger,
    view_smaller,
    view_normal_size,

    view_names,
    view_tracks,
    view_minimap,
    view_allocations,
    view_segments,
    view_pools,
    view_next_kind,
    view_flame,
    view_callers,
    view_next_picture,
    edit_note,
    edit_undo_note,

    colour_stack,
    colour_size,
    colour_stream,
    colour_pool,
    colour_category,
    colour_age,
    colour_kind,
    colour_module,

    tools_findings,
    tools_growth,
    page_pins,
    page_live,
    page_range,
    page_allocation,
    view_address_map,
    view_query,
    tools_table,
    tools_compare,
    tools_what_if,
    tools_fleet,
    log_show,
    tools_settings,
    tools_kind_rules,
    tools_stack_rules,

    go_find,
    go_next_hit,
    go_previous_hit,
    go_list_hits,
    go_search_sql,
    tools_devices,
    tools_series,
    edit_copy,
    tools_read_error,
    edit_dismiss,
    edit_palette,

    query_run,
    query_run_all,
    query_stop,
    query_save,
    query_new_tab,
    query_next_tab,
    query_close_tab,

    help_keys,
    help_about,
    help_sample,
    view_frame_times,

    compare_stop,
    compare_restart,
    compare_copy,
    reload_dismiss,
    pair_dismiss,
    error_dismiss,
    log_dismiss,
    findings_restart,
    findings_stop,
    callers_leave,
    fleet_stop,
    fleet_restart,
    fleet_open,
    fleet_compare,
    search_close,
    selection_clear,
    series_stop,
    series_restart,
    series_follow,
    table_copy,
    what_if_stop,
    what_if_restart,
    load_cancel
};

inline constexpr std::size_t k_command_count = static_cast<std::size_t>(CommandId::load_cancel) + 1;

/// The command `index` rows below `first`, for commands that are registered in a loop.
constexpr CommandId command_after(CommandId first, std::size_t index) {
    return static_cast<CommandId>(static_cast<std::size_t>(first) + index);
}

/// Flags of a CommandRow.
inline constexpr unsigned k_separated = 1;      ///< The menu has a separator above the command
inline constexpr unsigned k_while_typing = 2;   ///< The shortcuts also work while a text field has the keyboard
inline constexpr unsigned k_while_loading = 4;  ///< The shortcuts also work while the progress of loading covers the window

/// One action that the user can invoke. Menus, shortcuts, the command palette, the list of shortcuts and crash reports are
/// all generated from these rows. What a command does is registered by its feature; see Commands::on().
struct CommandRow {
    CommandId id;
    const char* name;  ///< Name such as "view_fit"; the menu item reports its rectangle as "menu_view_fit"
    Menu menu = Menu::none;
    const char* words = "";     ///< Label; of a page also the name of its tab
    const char* synonyms = "";  ///< Other words by which the palette finds the command
    const char* keys = "";      ///< Alternative shortcuts as key_chords() reads them: "F, Home"
    unsigned flags = 0;

    bool has(unsigned flag) const { return (flags & flag) != 0; }
};

const CommandRow& command_row(CommandId id);
/// Appends the shortcuts of a command to a tooltip: "Save this query (Ctrl+D)".
std::string with_keys(std::string_view text, CommandId id);
/// The shortcuts of a command, such as "F, Home"; empty if it has none.
inline const char* keys_of(CommandId id) { return command_row(id).keys; }

/// A menu of the menu bar, or a submenu.
struct MenuRow {
    Menu menu;
    const char* id;  ///< Name in reports: the menu "colour" reports its rectangle as "menu_colour"
    const char* title;
    std::optional<CommandId> before = {};  ///< The command above which a submenu stands; nullopt for a menu of the menu bar
    bool is_separated = false;             ///< The parent menu has a separator above the submenu
};

/// All menus in the order of the menu bar.
std::span<const MenuRow> menu_rows();
const char* menu_title(Menu menu);

/// The behaviour of a command, registered by the feature that owns it.
struct CommandBehaviour {
    std::function<bool(const Session&)> is_possible = {};  ///< Empty if the command is always enabled
    std::function<bool(const Session&)> is_on = {};        ///< Whether the toggle is on; empty if the command is no toggle
    std::function<std::string(const Session&)> doc = {};   ///< Tooltip: what the command does, or why it is disabled
    /// Label that replaces the row's words if it depends on the document; those apply if it is empty.
    std::function<std::string(const Session&)> own_words = {};
    std::function<void()> run = {};
};

/// A command of a window.
struct Command : CommandRow, CommandBehaviour {
    bool can_run(const Session& session) const { return !is_possible || is_possible(session); }
    std::string words_now(const Session& session) const;
};

/// An entry of a menu: a command or a submenu.
struct MenuEntry {
    bool is_separated = false;
    const Command* command = nullptr;
    const MenuRow* menu = nullptr;  ///< The submenu, if `command` is null
};

/// The commands of a window. Main thread.
///
///     commands.on(CommandId::view_fit, {.is_possible = has_any_picture, .run = [this] { fit(session_); }});
class Commands {
public:
    Commands();

    /// Registers what a command does. Precondition: the command has no behaviour yet, and `behaviour.run` is not empty.
    void on(CommandId id, CommandBehaviour behaviour);
    const Command& at(CommandId id) const { return all_[static_cast<std::size_t>(id)]; }
    std::span<const Command> all() const { return all_; }
    /// All commands that appear in menus, in the order of the menus.
    std::span<const Command> in_menus() const;
    /// The entries of one menu from top to bottom.
    std::vector<MenuEntry> entries_of(Menu menu) const;

private:
    std::vector<Command> all_;  ///< indexed by CommandId
};

}  // namespace snapviewer
