#include "app/state/actions.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/jobs/companion.h"
#include "app/state/render_command_line.h"
#include "app/state/search_as_sql.h"
#include "app/state/what_if_runs.h"
#include "app/text/allocation_text.h"
#include "app/text/timeline_axis.h"

namespace snapviewer {
namespace {

bool always(const AppState&) { return true; }
bool has_document(const AppState& state) { return state.document != nullptr; }
bool has_picture(const AppState& state) { return state.current_timeline() != nullptr; }
bool has_any_picture(const AppState& state) { return has_picture(state) || state.shown_icicle() != nullptr; }
bool shows_timeline(const AppState& state) { return has_picture(state) && state.shown_icicle() == nullptr; }
bool has_times(const AppState& state) { return shows_timeline(state) && state.current_timeline()->has_times(); }
bool has_hits(const AppState& state) { return state.search.emphasis && state.search.emphasis->count() > 0; }
bool can_run_query(const AppState& state) { return has_document(state) && state.settings.show_query; }

/// Pinned memory of the host and the like are no devices.
bool has_several_devices(const AppState& state) {
    return state.document &&
           std::ranges::count_if(state.document->snapshot->devices, &std::string::empty, &DeviceTrace::part) > 1;
}

bool has_selected_node(const AppState& state) {
    return state.shown_icicle() != nullptr && state.icicle.views[*state.icicle.shown].selected.has_value();
}
bool has_selected_call(const AppState& state) {
    if (!state.shows_flame_graph() || !has_selected_node(state)) return false;
    return state.shown_icicle()->nodes[*state.icicle.views[*state.icicle.shown].selected].is_call();
}
bool has_selected_part(const AppState& state) {
    return state.shown_icicle() != nullptr ? has_selected_node(state) : state.selected().is_some();
}
bool has_markers(const AppState& state) {
    for (std::size_t i = 0; i < state.devices.size(); ++i) {
        if (!state.overlays_of_device(i).markers.empty()) return true;
    }
    return false;
}
const char* companion_of(const AppState& state) {
    return state.document ? companion_name(*state.document->snapshot) : nullptr;
}
bool can_go_back(const AppState& state) {
    if (state.shown_icicle() != nullptr) return true;  // what is selected goes last
    return state.views_before > 0;
}
bool can_go_forward(const AppState& state) { return shows_timeline(state) && state.views_after > 0; }

std::string why_no_time_axis(const AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return {};
    return timeline->has_times() ? "The time of each event along the bottom, instead of steps" : why_no_times(*timeline);
}

std::string why_no_clock(const AppState& state) {
    return has_times(state) ? "The hour and minute of an event, instead of the time since the first one"
                            : why_no_time_axis(state);
}

const std::string& why_not(const AppState& state, ViewKind kind) {
    return state.devices[state.device_index].why_not[static_cast<std::size_t>(kind)];
}

std::string why_no_what_if(const AppState& state) {
    return has_picture(state) ? why_no_replay(*state.document->snapshot, state.device_index) : "";
}

template <ViewKind kind>
bool can_show(const AppState& state) {
    return has_picture(state) && why_not(state, kind).empty();
}
template <ViewKind kind>
bool is_shown(const AppState& state) {
    return has_picture(state) && state.current_kind() == kind;
}
template <ViewKind kind>
std::string kind_doc(const AppState& state) {
    return has_picture(state) && !why_not(state, kind).empty() ? why_not(state, kind) : view_kind_doc(kind);
}
template <ViewKind kind>
UserAction show_kind(const char* id, const char* words, bool begins_group = false) {
    return {.id = id,
            .menu = Menu::view,
            .words = words,
            .keys = "",
            .request = ShowView{kind},
            .is_possible = can_show<kind>,
            .is_on = is_shown<kind>,
            .doc = kind_doc<kind>,
            .begins_group = begins_group};
}

std::string why_no_colouring(const AppState& state, ColourBy by) {
    if (!has_picture(state)) return "";
    return state.devices[state.device_index].current().why_no_colours[static_cast<std::size_t>(by)];
}

template <ColourBy by>
UserAction colour(const char* id, const char* words) {
    return {.id = id,
            .menu = Menu::colour,
            .words = words,
            .keys = "",
            .request = ColourAs{by},
            .is_possible = [](const AppState& state) { return has_picture(state) && why_no_colouring(state, by).empty(); },
            .is_on = [](const AppState& state) { return state.colour_by == by; },
            .doc = [](const AppState& state) { return why_no_colouring(state, by); }};
}

void add_file_actions(std::vector<UserAction>& all) {
    all.push_back({"file_open", Menu::file, "Open…", "Ctrl+O", Command::open_dialog, always});
    all.back().keys_while_typing = true;
    all.push_back({"file_open_tab", Menu::file, "Open in a new tab…", "Ctrl+T", Command::open_tab_dialog, always});
    all.back().keys_while_typing = true;
    all.push_back({"file_open_fleet", Menu::file, "Open folder of ranks…", "", Command::open_fleet_dialog, always});
    all.back().doc = [](const AppState&) {
        return std::string("The snapshots of all ranks of a job: which of them stand out, and why");
    };
    all.push_back({"file_open_with", Menu::file, "Open with another report…", "", Command::open_companion,
                   [](const AppState& state) { return companion_of(state) != nullptr; }});
    all.back().own_words = [](const AppState& state) {
        const char* companion = companion_of(state);
        return companion == nullptr ? std::string() : std::string("Open with ") + companion + "…";
    };
    all.push_back({"file_compare", Menu::file, "Compare with…", "Ctrl+Shift+O", Command::compare_dialog, has_picture});
    all.back().keys_while_typing = true;
    all.push_back({"file_reload", Menu::file, "Reload", "F5", Command::reload, has_document});
    all.back().keys_while_typing = true;
    all.push_back({"file_save_picture", Menu::file, "Save the picture…", "Ctrl+S", OpenWindow{&AppState::show_save_picture},
                   [](const AppState& state) { return why_no_render_command(state).empty(); }, nullptr,
                   why_no_render_command});
    all.push_back({"file_close", Menu::file, "Close", "Ctrl+W", Command::close_document,
                   [](const AppState& state) { return has_document(state) || state.tabs.has_several(); }});
    all.back().keys_while_typing = true;
    all.push_back({"file_quit", Menu::file, "Quit", "Ctrl+Q", Command::quit, always});
    all.back().keys_while_typing = true;
    all.back().begins_group = true;
}

void add_edit_actions(std::vector<UserAction>& all) {
    all.push_back({"edit_copy", Menu::edit, "Copy the details", "Ctrl+C", Command::copy_details,
                   [](const AppState& state) { return state.focused != Pane::query && has_selected_part(state); }});
    all.push_back({"edit_copy_command", Menu::edit, "Copy the command that draws this", "", Command::copy_render_command,
                   [](const AppState& state) { return why_no_render_command(state).empty(); }, nullptr,
                   why_no_render_command});
    all.push_back({"edit_dismiss", Menu::edit, "Select nothing, end the search, stop loading", "Esc", Command::dismiss,
                   [](const AppState& state) { return !state.query.is_running; }});
    all.push_back({"edit_note", Menu::edit, "Note here…", "K", Command::add_note,
                   [](const AppState& state) { return has_picture(state) && state.notes.content.has_value(); }});
    all.back().begins_group = true;
    all.back().doc = [](const AppState&) {
        return std::string("A text at the place under the mouse, or where the selected allocation begins");
    };
    all.push_back({"edit_undo_note", Menu::edit, "Undo the change of a note", "Ctrl+Z", Command::undo_note,
                   [](const AppState& state) { return has_picture(state) && !state.notes.replaced.empty(); }});
    all.push_back({"edit_palette", Menu::edit, "All commands…", "Ctrl+P", Command::open_palette, always});
    all.back().keys_while_typing = true;
    all.back().begins_group = true;
}

void add_view_actions(std::vector<UserAction>& all) {
    all.push_back({"view_fit", Menu::view, "All of the picture", "F, Home", Command::fit, has_any_picture});
    all.push_back({"view_zoom", Menu::view, "Zoom to the selection", "Z", Command::zoom_to_selection, has_selected_part});
    all.push_back({"view_nearer", Menu::view, "Nearer", "+", Command::nearer, has_any_picture});
    all.push_back({"view_farther", Menu::view, "Farther", "-", Command::farther, has_any_picture});
    all.push_back({"view_back", Menu::view, "Back to the view before", "Backspace", Command::go_back, can_go_back});
    all.push_back({"view_forward", Menu::view, "Forward again", "Shift+Backspace", Command::go_forward, can_go_forward});

    all.push_back(show_kind<ViewKind::allocations>("view_allocations", "Allocations", true));
    all.push_back(show_kind<ViewKind::segments>("view_segments", "Segments"));
    all.push_back(show_kind<ViewKind::pools>("view_pools", "Pools"));
    all.push_back({"view_next_kind", Menu::view, "The next of these", "V", Command::next_view, [](const AppState& state) {
                       return can_show<ViewKind::segments>(state) || can_show<ViewKind::pools>(state);
                   }});
    all.push_back({"view_next_picture", Menu::view, "Next picture of a report", "I", Command::next_picture,
                   [](const AppState& state) { return state.document && !state.icicle.views.empty(); }});

    all.push_back({"view_time", Menu::view, "Time axis", "T", Command::toggle_axis, has_times,
                   [](const AppState& state) { return has_picture(state) && state.current_device().axis == Axis::time; },
                   why_no_time_axis});
    all.back().begins_group = true;
    all.push_back({"view_clock", Menu::view, "Clock times", "Shift+T", Command::toggle_clock, has_times,
                   [](const AppState& state) { return state.settings.clock_times; }, why_no_clock});
    all.push_back({"view_tracks", Menu::view, "Tracks below the picture", "", Command::toggle_tracks,
                   [](const AppState& state) {
                       return has_picture(state) && (has_tracks(state.current_overlays()) || !state.query_tracks.empty());
                   },
                   [](const AppState& state) { return state.settings.tracks.show; }});
    all.push_back({"view_address_map", Menu::view, "Address map below the picture", "M", Command::toggle_address_map,
                   has_picture, [](const AppState& state) { return state.settings.show_address_map; }});
    all.push_back({"view_flame", Menu::view, "Flame graph of a moment", "G", Command::toggle_flame_graph, has_picture,
                   [](const AppState& state) { return state.shows_flame_graph(); }});
    all.push_back(
        {"view_callers", Menu::view, "Callers and callees of the bar", "C", Command::show_callers, has_selected_call});
    all.push_back({"view_minimap", Menu::view, "The whole recording above the picture", "O", Command::toggle_minimap,
                   has_picture, [](const AppState& state) { return state.settings.show_minimap; }});
    all.push_back({"view_names", Menu::view, "Names in the blocks", "B", Command::toggle_names, has_picture,
                   [](const AppState& state) { return state.settings.show_names; }});
    all.push_back({"view_query", Menu::view, "Query pane", "Ctrl+J", Command::toggle_query, has_document,
                   [](const AppState& state) { return state.settings.show_query; }});
    all.back().keys_while_typing = true;
    all.push_back({"view_next_pane", Menu::view, "Keyboard to the next pane", "F6", Command::next_pane, has_document});
    all.back().keys_while_typing = true;
    all.push_back({"view_full_screen", Menu::view, "Full screen", "F11", Command::toggle_full_screen, always,
                   [](const AppState& state) { return state.full_screen; }});
    all.back().keys_while_typing = true;
}

void add_colour_actions(std::vector<UserAction>& all) {
    all.push_back(colour<ColourBy::stack>("colour_Stack", "Stack"));
    all.push_back(colour<ColourBy::size>("colour_Size", "Size"));
    all.push_back(colour<ColourBy::stream>("colour_Stream", "Stream"));
    all.push_back(colour<ColourBy::pool>("colour_Pool", "Pool"));
    all.push_back(colour<ColourBy::category>("colour_Category", "Category"));
    all.push_back(colour<ColourBy::age>("colour_Age", "Age"));
    all.push_back(colour<ColourBy::kind>("colour_Kind", "Kind"));
    all.back().is_possible = is_shown<ViewKind::allocations>;
    all.back().doc = [](const AppState& state) {
        if (has_picture(state) && state.current_kind() != ViewKind::allocations)
            return std::string("Kinds are told of allocations alone, not of segments and pools");
        return std::string("Parameters, gradients, activations, ...: what allocations are for");
    };
}

template <ThemeChoice choice>
UserAction theme(const char* id, const char* words) {
    return {.id = id,
            .menu = Menu::theme,
            .words = words,
            .keys = "",
            .request = UseTheme{choice},
            .is_possible = always,
            .is_on = [](const AppState& state) { return state.settings.theme == choice; }};
}

void add_theme_actions(std::vector<UserAction>& all) {
    all.push_back(theme<ThemeChoice::system>("theme_system", "As the desktop"));
    all.push_back(theme<ThemeChoice::dark>("theme_dark", "Dark"));
    all.push_back(theme<ThemeChoice::light>("theme_light", "Light"));
}

/// A larger or smaller interface, in every window of the program and wherever the keyboard is.
void add_scale_actions(std::vector<UserAction>& all) {
    all.push_back(
        {"view_larger", Menu::view, "Larger interface", "Ctrl++", Command::interface_larger, [](const AppState& state) {
             return next_interface_scale(state.settings.interface_scale, true) != state.settings.interface_scale;
         }});
    all.back().keys_while_typing = true;
    all.back().begins_group = true;
    all.push_back(
        {"view_smaller", Menu::view, "Smaller interface", "Ctrl+-", Command::interface_smaller, [](const AppState& state) {
             return next_interface_scale(state.settings.interface_scale, false) != state.settings.interface_scale;
         }});
    all.back().keys_while_typing = true;
    all.push_back({"view_normal_size", Menu::view, "Interface as large as the monitor asks", "Ctrl+0",
                   Command::interface_normal, [](const AppState& state) { return state.settings.interface_scale != 1; }});
    all.back().keys_while_typing = true;
    all.push_back({"view_frame_times", Menu::view, "Frame times in the status line", "", Command::toggle_frame_times, always,
                   [](const AppState& state) { return state.show_frame_times; }});
}

void add_go_actions(std::vector<UserAction>& all) {
    all.push_back({"go_peak", Menu::go, "Peak", "P", Command::go_to_peak, shows_timeline});
    all.push_back({"go_next_marker", Menu::go, "Next marker", "N", Command::next_marker, has_markers});
    all.push_back({"go_previous_marker", Menu::go, "Previous marker", "Shift+N", Command::previous_marker, has_markers});
    all.push_back({"go_find", Menu::go, "Find…", "Ctrl+F", Command::open_search, has_picture});
    all.back().keys_while_typing = true;
    all.back().begins_group = true;
    const auto can_walk = [](const AppState& state) {
        return has_hits(state) && state.search.is_open && state.focused == Pane::timeline;
    };
    all.push_back({"go_next_hit", Menu::go, "Next hit", "Enter", Command::next_hit, can_walk});
    all.back().keys_while_typing = true;  // the field loses the keyboard for a moment at each Enter
    all.push_back({"go_previous_hit", Menu::go, "Previous hit", "Shift+Enter", Command::previous_hit, can_walk});
    all.back().keys_while_typing = true;
    all.push_back({"go_list_hits", Menu::go, "All hits as a table…", "", Command::list_hits, has_hits});
    all.push_back({"go_search_sql", Menu::go, "The search as SQL", "", Command::search_as_sql,
                   [](const AppState& state) { return why_no_search_sql(state).empty(); }});
    all.back().doc = why_no_search_sql;
}

void add_tab_actions(std::vector<UserAction>& all) {
    const auto has_tabs = [](const AppState& state) { return state.tabs.has_several(); };
    all.push_back({"go_next_tab", Menu::go, "Next tab", "Ctrl+Tab", Command::next_tab, has_tabs});
    all.back().keys_while_typing = true;
    all.back().begins_group = true;
    all.push_back({"go_previous_tab", Menu::go, "Previous tab", "Ctrl+Shift+Tab", Command::previous_tab, has_tabs});
    all.back().keys_while_typing = true;
}

/// What has a page or a window of its own.
void add_tools(std::vector<UserAction>& all) {
    all.push_back({"tools_findings", Menu::tools, "Findings", "", Command::show_findings, has_picture});
    all.push_back({"tools_growth", Menu::tools, "What grows", "", Command::show_growth, has_picture});
    all.push_back(
        {"tools_table", Menu::tools, "Table of allocations…", "Ctrl+L", OpenWindow{&AppState::show_table}, has_picture});
    all.back().keys_while_typing = true;
    all.push_back({"tools_what_if", Menu::tools, "What if: other settings…", "", OpenWindow{&AppState::show_what_if},
                   [](const AppState& state) { return has_picture(state) && why_no_what_if(state).empty(); }, nullptr,
                   why_no_what_if});
    all.push_back({"tools_compare", Menu::tools, "Comparison…", "", OpenWindow{&AppState::show_compare},
                   [](const AppState& state) { return has_picture(state) && !state.compare.path.empty(); }});
    all.back().doc = [](const AppState& state) {
        return std::string(state.compare.path.empty() ? "File > Compare with chooses another file"
                                                      : "How what is open and another file differ at their peaks");
    };
    all.push_back({"tools_fleet", Menu::tools, "Fleet of ranks…", "F4", OpenWindow{&AppState::show_fleet},
                   [](const AppState& state) { return !state.fleet.paths.empty(); }});
    all.back().keys_while_typing = true;
    all.back().doc = [](const AppState& state) {
        return std::string(state.fleet.paths.empty() ? "File > Open folder of ranks opens one"
                                                     : "The ranks of a job, side by side");
    };
    all.push_back({"tools_devices", Menu::tools, "Devices of this file as a fleet…", "", Command::devices_as_fleet,
                   has_several_devices});
    all.push_back({"tools_settings", Menu::tools, "Allocator settings…", "", Command::show_settings, has_document});
    all.back().begins_group = true;
    all.push_back({"tools_kind_rules", Menu::tools, "Rules for kinds…", "", OpenWindow{&AppState::show_kind_rules}, always});
    all.push_back(
        {"tools_stack_rules", Menu::tools, "Stacks and editor…", "", OpenWindow{&AppState::show_stack_rules}, always});
}

void add_query_actions(std::vector<UserAction>& all) {
    all.push_back({"query_run", Menu::query, "Run the statement under the caret", "Ctrl+Enter", RunQuery{}, can_run_query});
    all.back().keys_while_typing = true;
    all.push_back({"query_run_all", Menu::query, "Run all statements", "Ctrl+Shift+Enter", RunQuery{true}, can_run_query});
    all.back().keys_while_typing = true;
    all.push_back({"query_stop", Menu::query, "Stop the query", "Esc", StopQuery{},
                   [](const AppState& state) { return state.query.is_running; }});
    all.back().keys_while_typing = true;
    all.push_back({"query_save", Menu::query, "Save the query, or save it no longer", "Ctrl+D", StarQuery{},
                   [](const AppState& state) { return can_run_query(state) && !state.query.sql.empty(); }});
    all.back().keys_while_typing = true;
    all.back().begins_group = true;
    all.push_back({"query_new_tab", Menu::query, "New query tab", "Ctrl+Shift+T", NewQueryTab{}, has_document});
    all.back().keys_while_typing = true;
    const auto has_several = [](const AppState& state) { return can_run_query(state) && state.query.tabs.size() > 1; };
    all.push_back({"query_next_tab", Menu::query, "Next query tab", "Ctrl+Shift+J", ShowQueryTab{}, has_several});
    all.back().keys_while_typing = true;
    all.push_back({"query_close_tab", Menu::query, "Close the query tab", "Ctrl+Shift+W", CloseQueryTab{}, has_several});
    all.back().keys_while_typing = true;
}

void add_help_actions(std::vector<UserAction>& all) {
    all.push_back({"help_keys", Menu::help, "Keys and mouse", "F1", OpenWindow{&AppState::show_keys}, always});
    all.back().keys_while_typing = true;
    all.push_back({"help_about", Menu::help, "About", "", OpenWindow{&AppState::show_about}, always});
}

std::vector<UserAction> make_actions() {
    std::vector<UserAction> all;
    add_file_actions(all);
    add_edit_actions(all);
    add_view_actions(all);
    add_scale_actions(all);
    add_colour_actions(all);
    add_theme_actions(all);
    add_go_actions(all);
    add_tab_actions(all);
    add_tools(all);
    add_query_actions(all);
    add_help_actions(all);
    return all;
}

}  // namespace

const char* view_kind_doc(ViewKind kind) {
    switch (kind) {
        case ViewKind::allocations: return "What the program allocated";
        case ViewKind::segments: return "What was reserved from the driver, with the mappings of expandable segments";
        case ViewKind::pools:
            return "Allocations with each private pool (of a CUDA graph or of the program's own) kept together,\n"
                   "and what it holds but does not use";
    }
    return "";
}

const char* menu_title(Menu menu) {
    constexpr std::array k_titles = {"File", "Edit", "View", "Colour by", "Theme", "Go", "Tools", "Query", "Help"};
    return k_titles[static_cast<std::size_t>(menu)];
}

std::span<const UserAction> all_actions() {
    static const std::vector<UserAction> all = make_actions();
    return all;
}

std::string action_words(const UserAction& action, const AppState& state) {
    const std::string own = action.own_words == nullptr ? "" : action.own_words(state);
    return own.empty() ? action.words : own;
}

}  // namespace snapviewer
