#include "app/shell/application.h"

#include <fmt/format.h>
#include <imgui.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "app/features/address_map/address_map.h"
#include "app/features/allocator_settings/allocator_settings.h"
#include "app/features/app_state.h"
#include "app/features/compare/compare.h"
#include "app/features/compare/compared_pictures.h"
#include "app/features/details/details.h"
#include "app/features/files/files.h"
#include "app/features/files/growing_pictures_ui.h"
#include "app/features/findings/findings.h"
#include "app/features/flame/flame.h"
#include "app/features/fleet/fleet.h"
#include "app/features/growth/growth.h"
#include "app/features/help/help.h"
#include "app/features/kinds/kinds.h"
#include "app/features/link/links.h"
#include "app/features/live/live.h"
#include "app/features/moments/moments.h"
#include "app/features/navigation/navigation.h"
#include "app/features/notes/notes.h"
#include "app/features/palette/palette.h"
#include "app/features/pins/pins.h"
#include "app/features/query/queries.h"
#include "app/features/save_picture/save_picture.h"
#include "app/features/search/search.h"
#include "app/features/selection/selection.h"
#include "app/features/series/series.h"
#include "app/features/table/table.h"
#include "app/features/timeline/pictures.h"
#include "app/features/what_if/what_if.h"
#include "app/picture/spec_picture.h"
#include "app/shell/panels.h"
#include "app/system/crash_report.h"
#include "app/system/gl_census.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/system/memory.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

const char* pane_name(Pane pane) {
    switch (pane) {
        case Pane::timeline: return "timeline";
        case Pane::details: return "details";
        case Pane::query: return "query";
        case Pane::table: return "table";
        case Pane::fleet: return "fleet";
    }
    return "";
}

JsonValue tabs_report(const TabStripState& tabs) {
    JsonValue list = JsonValue::array();
    for (const TabName& tab : tabs.tabs)
        list.push_back({{"name", tab.name}, {"path", tab.path}, {"is_loading", tab.loaded.has_value()}});
    return {{"list", std::move(list)}, {"shown", tabs.shown}};
}

JsonValue toasts_report(const Toasts& toasts) {
    JsonValue list = JsonValue::array();
    for (const Toasts::Toast& toast : toasts.shown()) list.push_back(toast.text);
    return list;
}

}  // namespace

std::string state_json(const AppState& state, const ReportedWindow& window) {
    JsonValue report;
    for (const auto& feature : window.features) feature->describe(report);
    report["file"] = state.document ? JsonValue(state.document->path) : JsonValue(nullptr);
    report["notice"] = state.notice;
    report["said"] = state.toasts.last();
    report["toasts"] = toasts_report(state.toasts);
    report["look"] = {{"theme", palette().ground == mesh::ThemeVariant::light ? "light" : "dark"},
                      {"scale", state.preferences.interface_scale},
                      {"line_px", ImGui::GetFontSize()}};
    const FallbackReport fallback = report_fallback();
    report["fonts"] = {{"system", fallback.fonts}, {"missing", fallback.missing}};
    report["full_screen"] = state.full_screen;
    report["tabs"] = tabs_report(state.tabs);
    report["focused"] = pane_name(state.focused);
    const GlCensus census = take_gl_census();
    report["gl"] = {{"objects", census.objects}, {"errors", census.errors}};
    report["held_bytes"] = held_memory_bytes();
    report["frames"] = window.figures.count;
    report["frame_ms"] = window.figures.last_ms;
    report["rects"] = reported_rects();
    return json_text(report, 1);
}

Result<std::unique_ptr<Application>> Application::create(Preferences settings) {
    Result<std::unique_ptr<render::TimelineCanvas>> canvas = render::TimelineCanvas::create(render::MovingPixels::few);
    if (!canvas) return canvas.error();
    return std::unique_ptr<Application>(new Application(std::move(settings), std::move(*canvas)));
}

std::unique_ptr<Application> Application::create_parked(Preferences settings) {
    return std::unique_ptr<Application>(new Application(std::move(settings), nullptr));
}

Application::Application(Preferences settings, std::unique_ptr<render::TimelineCanvas> canvas)
    : state_(std::move(settings)) {
    put_up_features(std::move(canvas));
    for (const auto& feature : features_) feature->connect(board_);
    connect();
    keyboard_ = std::make_unique<Keyboard>(state_, board_.commands, board_.requests);
    for (const std::string& path : state_.preferences.recent_files) need_characters(path);
    for (const std::string& sql : state_.preferences.query_history) need_characters(sql);
    for (const std::string& sql : state_.preferences.saved_queries) need_characters(sql);
}

/// Each feature depends only on those before it, so destruction runs in reverse order.
Application::~Application() {
    while (!features_.empty()) features_.pop_back();
}

/// Creates all features in the order in which they are called in every frame.
void Application::put_up_features(std::unique_ptr<render::TimelineCanvas> canvas) {
    pictures_ = &put_up<Pictures>(state_, std::move(canvas));
    opener_ = &put_up<FileOpener>(state_, *pictures_);
    growing_ = &put_up<GrowingPictures>(state_, *opener_, *pictures_);
    Selection& selection = put_up<Selection>(state_, *pictures_);
    put_up<Navigation>(state_);
    history_ = &put_up<ViewHistory>(state_, *pictures_);
    put_up<MarkerWalk>(state_, *pictures_, selection);
    put_up<LivePage>(state_);
    put_up<GrowthPage>(state_);
    put_up<Answers>(state_, *pictures_, selection);
    put_up<PinsPage>(state_);
    put_up<MomentMarks>(state_, selection);
    compare_ = &put_up<CompareRuns>(state_, *pictures_, selection);
    fleet_ = &put_up<FleetRuns>(state_, *pictures_, *opener_, *compare_);
    series_ = &put_up<SeriesRuns>(state_);
    compared_ = &put_up<ComparedPictures>(state_, *pictures_);
    put_up<AddressMaps>(state_, *pictures_);
    put_up<SlowSearch>(state_, selection);
    put_up<BlockNames>(state_, *pictures_);
    put_up<FlameGraphs>(state_, *pictures_);
    put_up<QueryTracks>(state_);
    put_up<Queries>(state_, *compare_);
    put_up<SelectedDetails>(state_);
    put_up<AllocatorSettingsWindow>(state_);
    put_up<OwnRules>(state_);
    notes_ = &put_up<Notes>(state_, *pictures_);
    sources_ = &put_up<SourceCode>(state_);
    put_up<AllocationList>(state_);
    put_up<WhatIfRuns>(state_);
    put_up<PictureSaver>(state_, [this](const PictureSpec& spec) { return draw_beside_window(state_, spec); });
    put_up<Links>(state_, *pictures_);
    put_up<Help>(state_, board_.commands);
    put_up<PaletteFiller>(state_, board_.commands);
}

void Application::take_place_of(Application& other) {
    const bool has_other_rules = state_.preferences.stacks != other.state_.preferences.stacks;
    state_.preferences = other.state_.preferences;
    if (has_other_rules) sources_->read_settings();
    state_.full_screen = other.state_.full_screen;
    figures_ = other.figures_;
    for (const auto& feature : other.features_) feature->park();
    other.keyboard_->release_all();
    other.pictures_->hand_over_to(*pictures_);
    // Ends the editing of text fields that belong to the other file.
    ImGui::SetWindowFocus(nullptr);
    state_.focus_next = Pane::timeline;
}

TabName Application::tab_name() const {
    const std::string path = opener_->is_busy() ? opener_->path() : state_.document ? state_.document->path : "";
    if (path.empty()) return {"New tab", "", {}};
    const std::string name = display_name(path);
    std::optional<float> loaded;
    if (is_loading()) loaded = opener_->job().progress().fraction();
    return {state_.fleet.opened ? rank_words(*state_.fleet.opened) + " · " + name : name, path, loaded};
}

bool Application::is_loading() const { return opener_->is_busy() && !opener_->job().is_ready(); }

bool Application::is_empty() const { return !state_.document && !opener_->is_busy(); }

bool Application::is_animating() const {
    return keyboard_->moves_picture() || state_.toasts.is_fading() ||
           std::ranges::any_of(features_, [](const auto& feature) { return feature->is_busy(); });
}

bool Application::has_news() const {
    return state_.toasts.is_fading() ||
           std::ranges::any_of(features_, [](const auto& feature) { return feature->has_news(); });
}

std::string Application::window_title() const {
    if (!state_.document) return "snapviewer";
    return display_name(state_.document->path) + " - snapviewer";
}

std::string Application::report() const { return state_json(state_, {features_, figures_}); }

void Application::adopt(std::shared_ptr<const Document> document) {
    for (const auto& feature : features_) feature->leave();
    show_first_page();
    std::shared_ptr<const Document> left = std::exchange(state_.document, std::move(document));
    for (const auto& feature : features_) feature->adopt();
    state_.focus_next = Pane::timeline;
    if (!left) return;
    giving_back_.start([left = std::move(left)](Progress&) mutable {
        left.reset();
        return true;
    });
}

void Application::open_files(const std::vector<std::string>& paths, std::uint32_t part) {
    for (const std::string& path : paths) note_action("open " + path);
    opener_->open(paths, part);
}

void Application::show_opened(OpenedFile& opened) {
    if (opened.is_series) return series_->begin(opener_->given());
    if (opened.is_fleet) return fleet_->begin(opener_->given());
    need_characters(opened.characters);
    adopt(*opened.document);
    notes_->read(opened.content);
    state_.pair_offer = opened.companion;
    opener_->watch(opened);
    if (const std::string other = opener_->take_other(); !other.empty()) compare_->begin(other);
}

void Application::frame(const FrameInput& input) {
    ++figures_.count;
    if (std::optional<OpenedFile> opened = opener_->take()) show_opened(*opened);
    giving_back_.take();
    had_window_ = window_has_keyboard();
    keyboard_->handle(input.keys, input.lost_focus);
    for (const auto& feature : features_) feature->update();
    state_.toasts.update();
    draw();
    history_->note_movement(ImGui::GetTime(), state_.timeline.is_dragging || state_.timeline.tracks.is_dragging ||
                                                  state_.timeline.minimap.is_dragging());
    carry_out_requests();
    history_->note_jump();
    pictures_->send();
    if (state_.preferences.has_news || state_.preferences.is_changed) keep_preferences();
}

void Application::draw() {
    const PanelScene scene = {*pictures_,         *opener_,        board_.commands, board_.docked, compared_->canvases(),
                              growing_->canvas(), figures_.last_ms};
    const Area work = draw_panels(state_, scene, board_.requests);
    for (const auto& feature : features_) feature->draw(board_.requests);
    draw_dialogs(state_, scene, work, board_.requests);
}

/// Handles the requests of the last frame. A loop, because a handler may make further requests.
void Application::carry_out_requests() {
    for (auto asked = board_.requests.take(); !asked.empty(); asked = board_.requests.take()) {
        for (const Request& request : asked) {
            note_action(request.words());
            [[maybe_unused]] const bool is_taken = board_.handlers.carry_out(request);
            assert(is_taken);
        }
    }
    // a command from the palette that focuses a pane keeps that focus
    if (state_.focus_next) state_.palette.returns_to.reset();
}

/// Saves preferences, so that they reach other windows and survive a crash. Reports a failure only once, because the next
/// attempt will fail in the same way.
void Application::keep_preferences() {
    state_.preferences.is_changed = false;
    const Status kept = save_preferences(state_.preferences, OutputFile::Durability::unsynced);
    if (kept || has_told_of_preferences_) return;
    has_told_of_preferences_ = true;
    state_.notice = preferences_not_kept(kept.error());
}

// Commands of the window itself, which do not depend on the features.

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

bool has_page(const AppState& state, const DockRow& page) {
    return has_picture(state) && (!page.is_there || page.is_there(state));
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
    std::ranges::stable_sort(board_.docked, {}, &DockRow::order);
    for (const DockRow& page : board_.docked) {
        board_.commands.add(
            {.id = page.command,
             .menu = Menu::panels,
             .place = page.order,
             .words = page.title,
             .synonyms = page.synonyms,
             .is_possible = [&page](const AppState& state) { return has_page(state, page); },
             .doc =
                 [&page](const AppState& state) { return has_page(state, page) || !has_picture(state) ? "" : page.why_not; },
             .run =
                 [this, &page] {
                     state_.icicle.shown.reset();
                     state_.compare.is_open = false;
                     state_.pages.next = page.id;
                 }});
    }
    show_first_page();
}

void Application::show_first_page() {
    const std::string_view first = board_.docked.front().id;
    state_.pages = SidePagesState{first, first, {}};
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
