#include <fmt/format.h>
#include <imgui.h>

#include "app/features/conditions.h"
#include "app/features/files/file_opener.h"
#include "app/features/timeline/pictures.h"
#include "app/shell/application.h"

// Commands of the window itself, which do not depend on the features.

namespace snapviewer {
namespace {

Pane next_pane(Pane pane, bool has_query) {
    switch (pane) {
        case Pane::timeline: return Pane::details;
        case Pane::details: return has_query ? Pane::query : Pane::timeline;
        case Pane::query:
        case Pane::table:
        case Pane::fleet: return Pane::timeline;
    }
    return Pane::timeline;
}

bool has_several_tabs(const AppState& state) { return state.tabs.has_several(); }

/// A page of the right column and its command in the menu.
struct PageRow {
    SidePage page;
    const char* id;
    const char* words;
    const char* synonyms;
};
constexpr PageRow k_pages[] = {
    {SidePage::findings, "tools_findings", "Findings", "oom out of memory problems report what is wrong"},
    {SidePage::growth, "tools_growth", "Growth", "leak grows training steps"},
    {SidePage::pins, "page_pins", "Pins", "fragmentation idle reserved segments"},
    {SidePage::live, "page_live", "Live", "alive at a step moment"},
    {SidePage::moments, "page_range", "Range", "measure ruler between two steps"},
    {SidePage::allocation, "page_allocation", "Allocation", "details stack selected block"}};

bool has_page(const AppState& state, SidePage page) {
    return has_picture(state) && (page != SidePage::moments || state.moments.timeline != nullptr);
}

std::string page_doc(const AppState& state, SidePage page) {
    return has_page(state, page) || !has_picture(state) ? "" : "Measure a range first, with Ctrl and drag in the picture";
}

}  // namespace

void Application::connect() {
    board_.handlers.on<RunCommand>([this](const RunCommand& asked) {
        if (const Command* command = board_.commands.find(asked.id)) command->run();
    });
    board_.handlers.on<CopyText>([this](const CopyText& asked) {
        ImGui::SetClipboardText(asked.text.c_str());
        state_.toasts.say(asked.what + " copied to the clipboard");
    });
    board_.commands.add(
        {.id = "tools_read_error",
         .menu = Menu::tools,
         .place = 410,
         .words = "Read PyTorch's error from the clipboard",
         .synonyms = "paste message log other processes card nvidia-smi",
         .is_possible = [](const AppState& state) { return has_picture(state) && state.findings.is_ready(); },
         .doc = [](const AppState&) -> std::string { return "Who used the card, as PyTorch's error tells"; },
         .run =
             [this] {
                 const char* text = ImGui::GetClipboardText();
                 board_.requests.ask(ReadOomMessage{text == nullptr ? "" : text});
             }});
    connect_tabs();
    connect_window();
    connect_pages();
    connect_scale();
    connect_theme();
}

void Application::connect_tabs() {
    const auto ask_for = [this](TabRequest request) { tab_requests_.push_back(std::move(request)); };
    board_.handlers.on<OpenInTab>(ask_for);
    board_.handlers.on<ShowTab>(ask_for);
    board_.handlers.on<CloseTab>(ask_for);
    board_.commands.add({.id = "go_next_tab",
                         .menu = Menu::file,
                         .place = 300,
                         .words = "Next tab",
                         .keys = "Ctrl+Tab",
                         .is_possible = has_several_tabs,
                         .keys_while_typing = true,
                         .keys_while_loading = true,
                         .run = [this, ask_for] { ask_for(ShowTab{state_.tabs.next()}); }});
    board_.commands.add({.id = "go_previous_tab",
                         .menu = Menu::file,
                         .place = 310,
                         .words = "Previous tab",
                         .keys = "Ctrl+Shift+Tab",
                         .is_possible = has_several_tabs,
                         .keys_while_typing = true,
                         .keys_while_loading = true,
                         .run = [this, ask_for] { ask_for(ShowTab{state_.tabs.previous()}); }});
    board_.commands.add({.id = "file_close",
                         .menu = Menu::file,
                         .place = 320,
                         .words = "Close",
                         .keys = "Ctrl+W",
                         .is_possible = [](const AppState& state) { return has_document(state) || has_several_tabs(state); },
                         .keys_while_typing = true,
                         .run = [this] { close(); }});
    board_.commands.add({.id = "file_quit",
                         .menu = Menu::file,
                         .place = 400,
                         .words = "Quit",
                         .synonyms = "exit",
                         .keys = "Ctrl+Q",
                         .keys_while_typing = true,
                         .keys_while_loading = true,
                         .run = [this] { wants_quit_ = true; }});
}

void Application::connect_window() {
    board_.commands.add({.id = "edit_dismiss",
                         .menu = Menu::tools,
                         .place = 420,
                         .words = "Clear selection or search, stop loading",
                         .synonyms = "deselect cancel",
                         .keys = "Esc",
                         .is_possible = [](const AppState& state) { return !state.query.is_running; },
                         .run = [this] { dismiss(); }});
    board_.commands.add({.id = "load_cancel", .run = [this] {
                             opener_->stop();
                             pictures_->stop();
                         }});
    board_.commands.add({.id = "view_next_pane",
                         .menu = Menu::view,
                         .place = 430,
                         .words = "Focus next pane",
                         .synonyms = "keyboard",
                         .keys = "F6",
                         .is_possible = has_document,
                         .keys_while_typing = true,
                         .run = [this] {
                             const Pane from = state_.palette.returns_to.value_or(state_.focused);
                             state_.focus_next = next_pane(from, state_.preferences.show_query);
                         }});
    board_.commands.add({.id = "view_full_screen",
                         .menu = Menu::view,
                         .place = 420,
                         .words = "Full screen",
                         .keys = "F11",
                         .is_on = [](const AppState& state) { return state.full_screen; },
                         .keys_while_typing = true,
                         .run = [this] { state_.full_screen = !state_.full_screen; }});
    board_.commands.add({.id = "view_frame_times",
                         .menu = Menu::help,
                         .place = 200,
                         .words = "Frame times in the status bar",
                         .synonyms = "debug fps",
                         .is_on = [](const AppState& state) { return state.show_frame_times; },
                         .run = [this] { state_.show_frame_times = !state_.show_frame_times; }});
}

/// Adds a command for each page of the right column. Showing a page closes windows that cover the column.
void Application::connect_pages() {
    int place = 100;
    for (const auto& [page, id, words, synonyms] : k_pages) {
        board_.commands.add({.id = id,
                             .menu = Menu::panels,
                             .place = place++,
                             .words = words,
                             .synonyms = synonyms,
                             .is_possible = [page](const AppState& state) { return has_page(state, page); },
                             .doc = [page](const AppState& state) { return page_doc(state, page); },
                             .run =
                                 [this, page] {
                                     state_.icicle.shown.reset();
                                     state_.compare.is_open = false;
                                     state_.pages.next = page;
                                 }});
    }
}

/// Adds the commands that enlarge and shrink the interface. They apply to all windows of the program, whatever has the
/// keyboard focus.
void Application::connect_scale() {
    const auto can_step = [](const AppState& state, bool larger) {
        return next_interface_scale(state.preferences.interface_scale, larger) != state.preferences.interface_scale;
    };
    const auto step = [this](bool larger) {
        set_interface_scale(next_interface_scale(state_.preferences.interface_scale, larger));
    };
    board_.commands.add({.id = "view_larger",
                         .menu = Menu::scale,
                         .place = 100,
                         .words = "Larger interface",
                         .synonyms = "font zoom",
                         .keys = "Ctrl++",
                         .is_possible = [can_step](const AppState& state) { return can_step(state, true); },
                         .keys_while_typing = true,
                         .run = [step] { step(true); }});
    board_.commands.add({.id = "view_smaller",
                         .menu = Menu::scale,
                         .place = 110,
                         .words = "Smaller interface",
                         .synonyms = "font zoom",
                         .keys = "Ctrl+-",
                         .is_possible = [can_step](const AppState& state) { return can_step(state, false); },
                         .keys_while_typing = true,
                         .run = [step] { step(false); }});
    board_.commands.add({.id = "view_normal_size",
                         .menu = Menu::scale,
                         .place = 120,
                         .words = "Normal interface size",
                         .synonyms = "font reset",
                         .keys = "Ctrl+0",
                         .is_possible = [](const AppState& state) { return state.preferences.interface_scale != 1; },
                         .keys_while_typing = true,
                         .run = [this] { set_interface_scale(1); }});
}

void Application::connect_theme() {
    struct Theme {
        ThemeChoice choice;
        const char* id;
        const char* words;
    };
    int place = 100;
    for (const Theme& theme :
         {Theme{ThemeChoice::system, "theme_system", "Same as the desktop"}, Theme{ThemeChoice::dark, "theme_dark", "Dark"},
          Theme{ThemeChoice::light, "theme_light", "Light"}}) {
        const ThemeChoice choice = theme.choice;
        board_.commands.add({.id = theme.id,
                             .menu = Menu::theme,
                             .place = place++,
                             .words = theme.words,
                             .is_on = [choice](const AppState& state) { return state.preferences.theme == choice; },
                             .run = [this, choice] { state_.preferences.theme = choice; }});
    }
}

void Application::set_interface_scale(float scale) {
    if (scale == state_.preferences.interface_scale) return;
    state_.preferences.interface_scale = scale;
    state_.toasts.say(fmt::format("Interface at {:.0f} %", 100 * static_cast<double>(scale)));
}

/// Closes the tab, or the document if there is only one tab.
void Application::close() {
    if (state_.tabs.has_several())
        tab_requests_.emplace_back(CloseTab{state_.tabs.shown});
    else
        adopt(nullptr);
}

/// Handles Esc: undoes the innermost state of the window first, such as a running load, a view or the selection.
void Application::dismiss() {
    opener_->stop();  // also stops a load that shows no dialog yet
    pictures_->stop();
    if (had_window_) return;
    if (state_.shown_icicle() != nullptr)
        ask(RunCommand{"view_back"});
    else
        ask(RunCommand{state_.has_selection() ? "selection_clear" : "search_close"});
}

}  // namespace snapviewer
