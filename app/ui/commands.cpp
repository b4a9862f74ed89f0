#include "app/ui/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace snapviewer {
namespace {

constexpr auto make_command_rows() {
    using enum CommandId;
    return std::to_array<CommandRow>(
        {{file_open, "file_open", Menu::file, "Open…", "load snapshot", "Ctrl+O", k_while_typing},
         {file_open_tab, "file_open_tab", Menu::file, "Open in a new tab…", "", "Ctrl+T", k_while_typing | k_while_loading},
         {file_open_fleet, "file_open_fleet", Menu::file, "Open a folder of ranks…", "distributed job"},
         {file_open_with, "file_open_with", Menu::file, "Open with another report…"},
         {file_compare, "file_compare", Menu::file, "Compare with…", "difference regression", "Ctrl+Shift+O",
          k_while_typing},
         {file_reload, "file_reload", Menu::file, "Reload", "refresh", "F5", k_while_typing},
         {file_save_picture, "file_save_picture", Menu::file, "Save the picture…", "export image screenshot", "Ctrl+S",
          k_separated},
         {edit_copy_command, "edit_copy_command", Menu::file, "Copy the command that draws this", "render"},
         {file_copy_link, "file_copy_link", Menu::file, "Copy the command that opens this", "link address share url"},
         {go_next_tab, "go_next_tab", Menu::file, "Next tab", "", "Ctrl+Tab",
          k_separated | k_while_typing | k_while_loading},
         {go_previous_tab, "go_previous_tab", Menu::file, "Previous tab", "", "Ctrl+Shift+Tab",
          k_while_typing | k_while_loading},
         {file_close, "file_close", Menu::file, "Close", "", "Ctrl+W", k_while_typing},
         {file_quit, "file_quit", Menu::file, "Quit", "exit", "Ctrl+Q", k_separated | k_while_typing | k_while_loading},

         {view_fit, "view_fit", Menu::view, "Zoom to fit", "reset home whole picture", "F, Home"},
         {view_zoom, "view_zoom", Menu::view, "Zoom to selection", "", "Z"},
         {view_nearer, "view_nearer", Menu::view, "Zoom in", "nearer magnify", "+"},
         {view_farther, "view_farther", Menu::view, "Zoom out", "farther", "-"},
         {view_back, "view_back", Menu::view, "Previous view", "undo zoom back", "Backspace"},
         {view_forward, "view_forward", Menu::view, "Next view", "redo zoom forward", "Shift+Backspace"},
         {go_peak, "go_peak", Menu::view, "Go to peak", "maximum highest", "P", k_separated},
         {go_next_marker, "go_next_marker", Menu::view, "Next marker", "", "N"},
         {go_previous_marker, "go_previous_marker", Menu::view, "Previous marker", "", "Shift+N"},
         {view_time, "view_time", Menu::view, "Time axis", "seconds", "T", k_separated},
         {view_clock, "view_clock", Menu::view, "Time of day", "clock", "Shift+T"},
         {view_full_screen, "view_full_screen", Menu::view, "Full screen", "", "F11", k_while_typing},
         {view_next_pane, "view_next_pane", Menu::view, "Focus next pane", "keyboard", "F6", k_while_typing},

         {theme_system, "theme_system", Menu::theme, "Same as the desktop"},
         {theme_dark, "theme_dark", Menu::theme, "Dark"},
         {theme_light, "theme_light", Menu::theme, "Light"},

         {view_larger, "view_larger", Menu::scale, "Larger interface", "font zoom", "Ctrl++", k_while_typing},
         {view_smaller, "view_smaller", Menu::scale, "Smaller interface", "font zoom", "Ctrl+-", k_while_typing},
         {view_normal_size, "view_normal_size", Menu::scale, "Normal interface size", "font reset", "Ctrl+0",
          k_while_typing},

         {view_names, "view_names", Menu::picture, "Names in blocks", "labels", "B"},
         {view_tracks, "view_tracks", Menu::picture, "Tracks below the picture", "lanes"},
         {view_minimap, "view_minimap", Menu::picture, "Overview above the picture", "minimap", "O"},
         {view_allocations, "view_allocations", Menu::picture, "Allocations", "", "", k_separated},
         {view_segments, "view_segments", Menu::picture, "Segments"},
         {view_pools, "view_pools", Menu::picture, "Pools"},
         {view_next_kind, "view_next_kind", Menu::picture, "Cycle allocations, segments, pools", "", "V"},
         {view_flame, "view_flame", Menu::picture, "Flame graph", "icicle stacks", "G", k_separated},
         {view_callers, "view_callers", Menu::picture, "Callers and callees", "", "C"},
         {view_next_picture, "view_next_picture", Menu::picture, "Next picture in the report", "", "I"},
         {edit_note, "edit_note", Menu::picture, "Add note here…", "comment annotate", "K", k_separated},
         {edit_undo_note, "edit_undo_note", Menu::picture, "Undo note change", "", "Ctrl+Z"},

         {colour_stack, "colour_Stack", Menu::colour, "Stack"},
         {colour_size, "colour_Size", Menu::colour, "Size"},
         {colour_stream, "colour_Stream", Menu::colour, "Stream"},
         {colour_pool, "colour_Pool", Menu::colour, "Pool"},
         {colour_category, "colour_Category", Menu::colour, "Category"},
         {colour_age, "colour_Age", Menu::colour, "Age"},
         {colour_kind, "colour_Kind", Menu::colour, "Kind"},
         {colour_module, "colour_Module", Menu::colour, "Module"},

         {tools_findings, "tools_findings", Menu::panels, "Findings", "oom out of memory problems report what is wrong"},
         {tools_growth, "tools_growth", Menu::panels, "Growth", "leak grows training steps"},
         {page_pins, "page_pins", Menu::panels, "Pins", "fragmentation idle reserved segments"},
         {page_live, "page_live", Menu::panels, "Live", "alive at a step moment"},
         {page_range, "page_range", Menu::panels, "Range", "measure ruler between two steps"},
         {page_allocation, "page_allocation", Menu::panels, "Allocation", "details stack selected block"},
         {view_address_map, "view_address_map", Menu::panels, "Address map", "fragmentation holes segments", "M",
          k_separated},
         {view_query, "view_query", Menu::panels, "Query pane", "sql console", "Ctrl+J", k_while_typing},
         {tools_table, "tools_table", Menu::panels, "Table of allocations…", "list blocks", "Ctrl+L",
          k_separated | k_while_typing},
         {tools_compare, "tools_compare", Menu::panels, "Comparison…", "difference diff"},
         {tools_what_if, "tools_what_if", Menu::panels, "What if…",
          "replay simulate expandable_segments max_split_size allocator settings"},
         {tools_fleet, "tools_fleet", Menu::panels, "Fleet of ranks…", "distributed job", "F4", k_while_typing},
         {log_show, "log_show", Menu::panels, "File notes…", "import log warnings damage"},
         {tools_settings, "tools_settings", Menu::panels, "Allocator settings…", "PYTORCH_CUDA_ALLOC_CONF configuration", "",
          k_separated},
         {tools_kind_rules, "tools_kind_rules", Menu::panels, "Rules for kinds…", "parameters gradients activations"},
         {tools_stack_rules, "tools_stack_rules", Menu::panels, "Stacks and editor…", "source code"},

         {go_find, "go_find", Menu::tools, "Find…", "search", "Ctrl+F", k_while_typing},
         {go_next_hit, "go_next_hit", Menu::tools, "Next hit", "search", "Enter", k_while_typing},
         {go_previous_hit, "go_previous_hit", Menu::tools, "Previous hit", "search", "Shift+Enter", k_while_typing},
         {go_list_hits, "go_list_hits", Menu::tools, "Show hits in the table…", "search"},
         {go_search_sql, "go_search_sql", Menu::tools, "Search as SQL", "query"},
         {tools_devices, "tools_devices", Menu::tools, "Devices of this file as a fleet…", "gpus ranks", "", k_separated},
         {tools_series, "tools_series", Menu::tools, "Series over hours…", "samples days growth"},
         {edit_copy, "edit_copy", Menu::tools, "Copy details", "clipboard", "Ctrl+C", k_separated},
         {tools_read_error, "tools_read_error", Menu::tools, "Read PyTorch's error from the clipboard",
          "paste message log other processes card nvidia-smi"},
         {edit_dismiss, "edit_dismiss", Menu::tools, "Clear selection or search, stop loading", "deselect cancel", "Esc"},
         {edit_palette, "edit_palette", Menu::tools, "Command palette…", "commands actions", "Ctrl+P",
          k_separated | k_while_typing},

         {query_run, "query_run", Menu::query, "Run statement at the cursor", "execute sql", "Ctrl+Enter", k_while_typing},
         {query_run_all, "query_run_all", Menu::query, "Run all statements", "execute sql", "Ctrl+Shift+Enter",
          k_while_typing},
         {query_stop, "query_stop", Menu::query, "Stop query", "cancel", "Esc", k_while_typing},
         {query_save, "query_save", Menu::query, "Save or unsave query", "star favourite", "Ctrl+D",
          k_separated | k_while_typing},
         {query_new_tab, "query_new_tab", Menu::query, "New query tab", "", "Ctrl+Shift+T", k_while_typing},
         {query_next_tab, "query_next_tab", Menu::query, "Next query tab", "", "Ctrl+Shift+J", k_while_typing},
         {query_close_tab, "query_close_tab", Menu::query, "Close query tab", "", "Ctrl+Shift+W", k_while_typing},

         {help_keys, "help_keys", Menu::help, "Keyboard and mouse", "shortcuts", "F1", k_while_typing},
         {help_about, "help_about", Menu::help, "About", "version licence"},
         {help_sample, "help_sample", Menu::help, "Open the sample", "example demo try"},
         {view_frame_times, "view_frame_times", Menu::help, "Frame times in the status bar", "debug fps", "", k_separated},

         {compare_stop, "compare_stop"},
         {compare_restart, "compare_restart"},
         {compare_copy, "compare_copy"},
         {reload_dismiss, "reload_dismiss"},
         {pair_dismiss, "pair_dismiss"},
         {error_dismiss, "error_dismiss"},
         {log_dismiss, "log_dismiss"},
         {findings_restart, "findings_restart"},
         {findings_stop, "findings_stop"},
         {callers_leave, "callers_leave"},
         {fleet_stop, "fleet_stop"},
         {fleet_restart, "fleet_restart"},
         {fleet_open, "fleet_open"},
         {fleet_compare, "fleet_compare"},
         {search_close, "search_close"},
         {selection_clear, "selection_clear"},
         {series_stop, "series_stop"},
         {series_restart, "series_restart"},
         {series_follow, "series_follow"},
         {table_copy, "table_copy"},
         {what_if_stop, "what_if_stop"},
         {what_if_restart, "what_if_restart"},
         {load_cancel, "load_cancel"}});
}

constexpr std::array k_command_rows = make_command_rows();

constexpr bool has_the_order_of_the_ids() {
    for (std::size_t i = 0; i < k_command_rows.size(); ++i) {
        if (k_command_rows[i].id != static_cast<CommandId>(i)) return false;
    }
    return k_command_rows.size() == k_command_count;
}

constexpr bool has_unique_names() {
    std::array<std::string_view, k_command_rows.size()> names;
    std::ranges::transform(k_command_rows, names.begin(), &CommandRow::name);
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) == names.end();
}

static_assert(has_the_order_of_the_ids());
static_assert(has_unique_names());
static_assert(std::ranges::is_sorted(k_command_rows, {}, &CommandRow::menu), "the rows of a menu follow one another");

constexpr std::array k_menus = {MenuRow{Menu::file, "file", "File"},
                                MenuRow{Menu::view, "view", "View"},
                                MenuRow{Menu::picture, "picture", "Picture"},
                                MenuRow{Menu::panels, "panels", "Panels"},
                                MenuRow{Menu::tools, "tools", "Tools"},
                                MenuRow{Menu::help, "help", "Help"},
                                MenuRow{Menu::recent, "file_recent", "Open recent", CommandId::file_open_tab},
                                MenuRow{Menu::theme, "theme", "Theme", CommandId::view_full_screen, true},
                                MenuRow{Menu::scale, "scale", "Interface size", CommandId::view_full_screen},
                                MenuRow{Menu::colour, "colour", "Colour by", CommandId::view_names},
                                MenuRow{Menu::overlays, "overlays", "Overlays", CommandId::view_names},
                                MenuRow{Menu::query, "query", "Query", CommandId::tools_devices, true}};

}  // namespace

const CommandRow& command_row(CommandId id) { return k_command_rows[static_cast<std::size_t>(id)]; }

std::string with_keys(std::string_view text, CommandId id) { return fmt::format("{} ({})", text, keys_of(id)); }

std::span<const MenuRow> menu_rows() { return k_menus; }

const char* menu_title(Menu menu) {
    const auto found = std::ranges::find(k_menus, menu, &MenuRow::menu);
    return found == k_menus.end() ? "" : found->title;
}

std::string Command::words_now(const Session& session) const {
    std::string own = own_words ? own_words(session) : "";
    return own.empty() ? words : own;
}

Commands::Commands() {
    for (const CommandRow& row : k_command_rows) all_.push_back({row, {}});
}

void Commands::on(CommandId id, CommandBehaviour behaviour) {
    Command& command = all_[static_cast<std::size_t>(id)];
    assert(!command.run && behaviour.run);
    static_cast<CommandBehaviour&>(command) = std::move(behaviour);
}

std::span<const Command> Commands::in_menus() const {
    return {all_.begin(), std::ranges::find(all_, Menu::none, &Command::menu)};
}

std::vector<MenuEntry> Commands::entries_of(Menu menu) const {
    std::vector<MenuEntry> entries;
    for (const Command& command : all_) {
        if (command.menu != menu) continue;
        for (const MenuRow& row : k_menus) {
            if (row.before == command.id) entries.push_back({.is_separated = row.is_separated, .menu = &row});
        }
        entries.push_back({.is_separated = command.has(k_separated), .command = &command});
    }
    return entries;
}

}  // namespace snapviewer
