#include "app/window/application.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>

#include "app/jobs/crash_report.h"
#include "app/state/own_rules.h"
#include "app/state/render_command_line.h"
#include "app/state/search_as_sql.h"
#include "app/text/icicle_text.h"
#include "app/views/icicle_details.h"
#include "app/views/picture/mouse.h"
#include "app/views/query_input.h"
#include "app/window/fonts.h"
#include "app/window/panels.h"

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

/// Of all that is seen together.
std::vector<std::string> paths_of(const Document& document) {
    if (document.with.empty()) return {document.path};
    return {document.path, document.with};
}

}  // namespace

Result<std::unique_ptr<Application>> Application::create(Settings settings) {
    Result<std::unique_ptr<TimelineCanvas>> canvas = TimelineCanvas::create(MovingPixels::few);
    if (!canvas) return canvas.error();
    return std::unique_ptr<Application>(new Application(std::move(settings), std::move(*canvas)));
}

Application::Application(Settings settings, std::unique_ptr<TimelineCanvas> canvas)
    : state_(std::move(settings)), pictures_(state_, std::move(canvas)) {
    for (const std::string& path : state_.settings.recent_files) need_characters(path);
    for (const std::string& sql : state_.settings.query_history) need_characters(sql);
    for (const std::string& sql : state_.settings.saved_queries) need_characters(sql);
}

Application::~Application() = default;

std::unique_ptr<Application> Application::create_parked() const {
    return std::unique_ptr<Application>(new Application(state_.settings, nullptr));
}

void Application::take_place_of(Application& other) {
    const bool has_other_rules = state_.settings.stacks != other.state_.settings.stacks;
    state_.settings = other.state_.settings;
    if (has_other_rules) sources_.read_settings();
    state_.full_screen = other.state_.full_screen;
    figures_ = other.figures_;
    other.compared_.release();
    other.growing_.release();
    other.keyboard_.release_all();
    other.pictures_.hand_over_to(pictures_);
    // Whatever was typed into belongs to the other file.
    ImGui::SetWindowFocus(nullptr);
    state_.focus_next = Pane::timeline;
}

TabName Application::tab_name() const {
    const std::string path = opener_.job().is_busy() ? opener_.path() : state_.document ? state_.document->path : "";
    if (path.empty()) return {"New tab", "", {}};
    const std::string name = std::filesystem::path(path).filename().string();
    std::optional<float> loaded;
    if (is_loading()) loaded = opener_.job().progress().fraction();
    return {state_.fleet.opened ? rank_words(*state_.fleet.opened) + " · " + name : name, path, loaded};
}

bool Application::is_animating() const {
    return pictures_.is_busy() || opener_.job().is_busy() || queries_.is_busy() || query_tracks_.is_busy() ||
           details_.is_busy() || sources_.is_busy() || list_.is_busy() || palette_.is_busy() || answers_.is_busy() ||
           what_if_.is_busy() || compare_.is_busy() || compared_.is_busy() || fleet_.is_busy() || slow_search_.is_busy() ||
           names_.is_busy() || flames_.is_busy() || saver_.is_busy() || keyboard_.moves_picture() ||
           pictures_.canvas().is_coarse() || compared_.is_coarse() || state_.toasts.is_fading();
}

std::string Application::window_title() const {
    if (!state_.document) return "snapviewer";
    return std::filesystem::path(state_.document->path).filename().string() + " - snapviewer";
}

void Application::adopt(std::shared_ptr<const Document> document) {
    queries_.stop();
    opener_.watch_nothing();
    state_.document = std::move(document);
    state_.pair_offer.clear();
    state_.timeline.forget_overlays();
    state_.import_log_dismissed = false;
    state_.show_import_log = false;
    state_.pages = SidePagesState{};
    state_.details = DetailsState{};
    state_.live = LiveListState{};
    // What was typed is looked for in the next file, too; what was chosen is of the old one.
    const bool is_typed = state_.search.as<TextSought>() != nullptr || state_.search.as<std::monostate>() != nullptr;
    if (!state_.document || !is_typed) state_.search = SearchState{};
    state_.icicle = IcicleState{};
    state_.flame = FlameState{};
    state_.moments = MomentsState{};
    state_.notes = NotesState{};
    query_tracks_.forget();
    state_.generation = GenerationState{};
    state_.focus_next = Pane::timeline;
    pictures_.adopt();
    history_.forget();
    if (state_.document) state_.icicle = make_icicle_state(state_.document->icicles, !state_.devices.empty());
}

void Application::open_files(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) note_action("open " + path);
    opener_.open(paths);
}

void Application::frame(const FrameInput& input) {
    ++figures_.count;
    if (std::optional<OpenedFile> opened = opener_.take()) {
        show_opened(*opened);
    }
    growing_.update();
    pictures_.draw_on(palette().ground);
    pictures_.update();
    answers_.update();
    marks_.update();
    what_if_.update();
    fleet_.update();
    compare_.update();
    compared_.update();
    address_maps_.update();
    slow_search_.update();
    names_.update();
    flames_.update();
    query_tracks_.update();
    queries_.update(state_.document ? state_.document->database : nullptr, compare_.both());
    state_.on_disk = opener_.on_disk();
    state_.toasts.update();
    had_dialog_ = state_.table.is_focused || state_.what_if.is_focused || state_.show_keys || state_.show_about ||
                  state_.show_import_log || state_.show_what_if || state_.show_compare || state_.compare.is_focused ||
                  state_.show_fleet || state_.show_kind_rules || state_.show_stack_rules || state_.notes.edited ||
                  state_.settings_view.is_open || state_.show_save_picture;
    keyboard_.handle(input.keys, input.lost_focus);
    details_.update();
    sources_.update();
    list_.update();
    saver_.update();
    palette_.update();
    state_.query.parameters = query_parameters(state_);
    const bool had_palette = state_.palette.is_open;
    draw_panels(state_, {pictures_, opener_, compared_.canvases(), growing_.canvas(), figures_.last_ms}, requests_);
    if (had_palette && !state_.palette.is_open) state_.focus_next = std::exchange(before_palette_, std::nullopt);
    history_.note_movement(ImGui::GetTime(), state_.timeline.is_dragging || state_.timeline.tracks.is_dragging ||
                                                 state_.timeline.minimap.is_dragging());
    for (const Request& request : requests_.take()) {
        note_action(action_text(request));
        request.hand_to([this](const auto& asked) { carry_out(asked); });
    }
    // What was asked for through the palette gives the keyboard to a pane of its own choice.
    if (state_.focus_next) before_palette_.reset();
    history_.note_jump();
    pictures_.send();
    if (state_.settings.has_news) keep_settings();
}

void Application::show_opened(OpenedFile& opened) {
    if (opened.is_fleet) return fleet_.begin(opener_.given());
    need_characters(opened.characters);
    adopt(*opened.document);
    notes_.adopt(opened.content);
    state_.pair_offer = opened.companion;
    opener_.watch(opened);
    if (const std::string other = opener_.take_other(); !other.empty()) compare_.begin(other);
}

void Application::carry_out(const UseKindRules& request) {
    if (!use_rules(state_, request.text)) return;
    keep_settings();
    opener_.reload();
}

void Application::carry_out(const UseStackRules& request) {
    if (sources_.use(request.settings)) keep_settings();
}

/// So that another window, and this program after a crash, know of it. Told once: the next attempt fails as this one did.
void Application::keep_settings() {
    const Status kept = save_settings(state_.settings, OutputFile::Durability::unsynced);
    if (kept || has_told_of_settings_) return;
    has_told_of_settings_ = true;
    state_.notice = settings_not_kept(kept.error());
}

/// What has just been opened gets the keyboard, not what had it before the palette.
void Application::carry_out(const OpenWindow& request) {
    state_.*request.is_open = true;
    before_palette_.reset();
}

void Application::carry_out(const OpenWith& request) {
    if (state_.document) opener_.open(state_.document->path, request.path);
}

void Application::carry_out(const ShowPicture& request) { show_picture(state_, request.picture); }

void Application::carry_out(const ShowOverlay& request) { show_overlay(state_, request.id, request.is_shown); }

void Application::carry_out(const ListLive& request) {
    if (state_.current_timeline() == nullptr) return;
    show_live_at(state_.live, *state_.current_timeline(), request.tick);
    if (!state_.selected().is_some()) state_.pages.next = SidePage::live;
}

/// What kinds are told by is worked out if it was stopped before.
void Application::carry_out(const ColourAs& request) {
    pictures_.colour_by(request.by);
    if (request.by == ColourBy::kind) answers_.restart();
}

void Application::carry_out(const SelectAllocation& request) {
    selection_.select(request.id);
    if (state_.selected().is_some()) state_.pages.next = SidePage::allocation;
}

/// The dialog keeps the keyboard, also where the palette asked for it.
void Application::show_file_dialog(FilePurpose purpose) {
    before_palette_.reset();
    state_.focus_next.reset();
    state_.file_purpose = purpose;
    state_.file_dialog.title = purpose == FilePurpose::comparison ? "Compare with a snapshot"
                               : purpose == FilePurpose::tab      ? "Open a snapshot in a new tab"
                               : purpose == FilePurpose::fleet    ? "Open a folder of ranks"
                                                                  : "Open a snapshot";
    state_.file_dialog.takes_folders = purpose == FilePurpose::fleet;
    open_file_dialog(state_.file_dialog, state_.settings);
}

void Application::carry_out(const CopyText& request) {
    ImGui::SetClipboardText(request.text.c_str());
    state_.toasts.say(request.what + " is in the clipboard");
}

void Application::set_interface_scale(float scale) {
    if (scale == state_.settings.interface_scale) return;
    state_.settings.interface_scale = scale;
    state_.toasts.say(fmt::format("Interface at {:.0f} %", 100 * static_cast<double>(scale)));
}

void Application::copy_compare_command() {
    const std::string line = compare_.command_line();
    if (line.empty()) return;
    carry_out(CopyText{line, "The command"});
}

void Application::copy_render_command() {
    if (!why_no_render_command(state_).empty()) return;
    carry_out(CopyText{render_command_line(state_, palette().ground), "The command that draws this"});
}

void Application::copy_details() {
    std::string text;
    if (const Icicle* icicle = state_.shown_icicle()) {
        const auto& selected = state_.icicle.views[*state_.icicle.shown].selected;
        if (selected) text = icicle_node_text(*icicle, *selected);
    } else if (state_.selected().is_some()) {
        text = details_clipboard(state_.details);
    }
    if (text.empty()) return;
    carry_out(CopyText{text, "The text of the details"});
}

/// The tab, or what is open in the only one.
void Application::close() {
    if (state_.tabs.has_several())
        tab_requests_.emplace_back(CloseTab{state_.tabs.shown});
    else
        adopt(nullptr);
}

/// What is nearest to the user goes first.
void Application::dismiss() {
    opener_.stop();  // what shows no dialog yet
    pictures_.stop();
    if (had_dialog_) return;
    if (state_.shown_icicle() != nullptr) {
        go_back_or_forward(true);
    } else if (state_.has_selection()) {
        selection_.clear();
    } else {
        selection_.close_search();
    }
}

/// Whatever was typed into gives the keyboard up at once, so that no letter goes astray.
void Application::open_palette() {
    before_palette_ = state_.focused;
    ImGui::SetWindowFocus(nullptr);
    palette_.open();
}

void Application::go_back_or_forward(bool back) {
    const Icicle* icicle = state_.shown_icicle();
    if (icicle == nullptr) {
        history_.go(back);
    } else if (back && !zoom_icicle_out(state_.shown_icicle_view(), *icicle)) {
        if (state_.shown_icicle_view().selected)
            selection_.clear();
        else
            flames_.leave_callers();
    }
}

void Application::put_search_as_sql() {
    if (!why_no_search_sql(state_).empty()) return;
    const Result<std::string> sql = search_as_sql(state_);
    if (sql)
        carry_out(PutQuery{*sql, sql->size(), sql->size(), true});
    else
        state_.notice = sql.error().text();
}

void Application::carry_out(const PutQuery& request) {
    state_.settings.show_query = true;
    state_.focus_next = Pane::query;
    put_query(state_.query, request.sql, static_cast<int>(request.select_begin), static_cast<int>(request.select_end));
    if (request.is_complete) queries_.run(true);
}

void Application::carry_out(const NewQueryTab&) {
    state_.settings.show_query = true;
    state_.query.is_open = true;
    state_.focus_next = Pane::query;
    add_query_tab(state_.query);
}

void Application::carry_out(const ShowQueryTab& request) {
    const QueryPaneState& pane = state_.query;
    show_query_tab(state_.query, request.index.value_or((pane.front + 1) % pane.tabs.size()));
}

void Application::carry_out(const StarQuery& request) {
    const std::string& sql = request.sql ? *request.sql : state_.query.sql;
    const bool was_saved = std::ranges::find(state_.settings.saved_queries, sql) != state_.settings.saved_queries.end();
    star_query(state_.settings, sql, !was_saved);
    state_.toasts.say(was_saved ? "The query is no longer saved" : "The query is saved");
    keep_settings();
}

void Application::carry_out(Command command) {
    switch (command) {
        case Command::open_dialog: show_file_dialog(FilePurpose::open); break;
        case Command::open_companion: show_file_dialog(FilePurpose::companion); break;
        case Command::dismiss_pair: state_.pair_offer.clear(); break;
        case Command::reload: opener_.reload(); break;
        case Command::dismiss_reload: opener_.dismiss_change(); break;
        case Command::close_document: close(); break;
        case Command::open_tab_dialog: show_file_dialog(FilePurpose::tab); break;
        case Command::next_tab: tab_requests_.emplace_back(ShowTab{state_.tabs.next()}); break;
        case Command::previous_tab: tab_requests_.emplace_back(ShowTab{state_.tabs.previous()}); break;
        case Command::quit: wants_quit_ = true; break;
        case Command::fit: fit(state_); break;
        case Command::zoom_to_selection: zoom_to_selection(state_); break;
        case Command::nearer: zoom_about_middle(state_, k_zoom_per_notch); break;
        case Command::farther: zoom_about_middle(state_, 1 / k_zoom_per_notch); break;
        case Command::go_back: go_back_or_forward(true); break;
        case Command::go_forward: go_back_or_forward(false); break;
        case Command::next_pane:
            state_.focus_next = next_pane(before_palette_.value_or(state_.focused), state_.settings.show_query);
            break;
        case Command::dismiss: dismiss(); break;
        case Command::open_palette: open_palette(); break;
        case Command::toggle_full_screen: state_.full_screen = !state_.full_screen; break;
        case Command::go_to_peak: markers_.go_to_peak(); break;
        case Command::next_marker: markers_.go_to_next(true); break;
        case Command::previous_marker: markers_.go_to_next(false); break;
        case Command::toggle_axis: toggle_axis(state_); break;
        case Command::toggle_clock: toggle_clock(state_); break;
        case Command::toggle_query:
            state_.settings.show_query = !state_.settings.show_query;
            state_.focus_next = state_.settings.show_query ? Pane::query : Pane::timeline;
            break;
        case Command::toggle_address_map: state_.settings.show_address_map = !state_.settings.show_address_map; break;
        case Command::toggle_flame_graph: flames_.toggle(); break;
        case Command::show_callers: flames_.show_callers_of_selected(); break;
        case Command::leave_callers: flames_.leave_callers(); break;
        case Command::copy_folded: flames_.save_folded(""); break;
        case Command::copy_render_command: copy_render_command(); break;
        case Command::add_note: notes_.begin(); break;
        case Command::undo_note: notes_.undo(); break;
        case Command::toggle_names: state_.settings.show_names = !state_.settings.show_names; break;
        case Command::toggle_minimap: state_.settings.show_minimap = !state_.settings.show_minimap; break;
        case Command::toggle_tracks: state_.settings.tracks.show = !state_.settings.tracks.show; break;
        case Command::clear_selection: selection_.clear(); break;
        case Command::copy_details: copy_details(); break;
        case Command::dismiss_import_log: state_.import_log_dismissed = true; break;
        case Command::show_settings: state_.settings_view.is_open = true; break;
        case Command::cancel_load:
            opener_.stop();
            pictures_.stop();
            break;
        case Command::dismiss_error: state_.failed.reset(); break;
        case Command::open_search: selection_.open_search(); break;
        case Command::close_search: selection_.close_search(); break;
        case Command::next_hit: selection_.go_to_hit(true); break;
        case Command::previous_hit: selection_.go_to_hit(false); break;
        case Command::next_picture: show_picture(state_, next_picture(state_.icicle, !state_.devices.empty())); break;
        case Command::next_view: pictures_.show_next_view(); break;
        case Command::list_hits: state_.show_table = state_.table.only_hits = true; break;
        case Command::show_findings:
            state_.icicle.shown.reset();
            state_.pages.next = SidePage::findings;
            break;
        case Command::show_growth:
            state_.icicle.shown.reset();
            state_.pages.next = SidePage::growth;
            break;
        case Command::find_findings: answers_.restart(); break;
        case Command::stop_finding: answers_.stop(); break;
        case Command::stop_what_if: what_if_.stop(); break;
        case Command::go_on_what_if: what_if_.restart(); break;
        case Command::compare_dialog: show_file_dialog(FilePurpose::comparison); break;
        case Command::stop_compare: compare_.stop(); break;
        case Command::go_on_compare: compare_.restart(); break;
        case Command::copy_compare_command: copy_compare_command(); break;
        case Command::open_fleet_dialog: show_file_dialog(FilePurpose::fleet); break;
        case Command::devices_as_fleet:
            if (state_.document) fleet_.begin(paths_of(*state_.document));
            break;
        case Command::stop_fleet: fleet_.stop(); break;
        case Command::go_on_fleet: fleet_.restart(); break;
        case Command::compare_ranks: fleet_.compare_chosen(); break;
        case Command::interface_larger:
            set_interface_scale(next_interface_scale(state_.settings.interface_scale, true));
            break;
        case Command::interface_smaller:
            set_interface_scale(next_interface_scale(state_.settings.interface_scale, false));
            break;
        case Command::interface_normal: set_interface_scale(1); break;
        case Command::toggle_frame_times: state_.show_frame_times = !state_.show_frame_times; break;
        case Command::search_as_sql: put_search_as_sql(); break;
    }
}

}  // namespace snapviewer
