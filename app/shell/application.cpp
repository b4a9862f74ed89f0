#include "app/shell/application.h"

#include <imgui.h>

#include <algorithm>
#include <cassert>
#include <filesystem>

#include "app/features/address_map/address_maps.h"
#include "app/features/allocator_settings/allocator_settings.h"
#include "app/features/compare/compare_runs.h"
#include "app/features/compare/compared_pictures.h"
#include "app/features/details/selected_details.h"
#include "app/features/details/source_code.h"
#include "app/features/files/file_opener.h"
#include "app/features/files/growing_pictures.h"
#include "app/features/findings/answers.h"
#include "app/features/flame/flame_graphs.h"
#include "app/features/fleet/fleet_runs.h"
#include "app/features/help/help.h"
#include "app/features/kinds/own_rules.h"
#include "app/features/link/links.h"
#include "app/features/live/live_page.h"
#include "app/features/moments/moment_marks.h"
#include "app/features/navigation/navigation.h"
#include "app/features/navigation/view_history.h"
#include "app/features/notes/notes.h"
#include "app/features/palette/palette.h"
#include "app/features/pins/pins_page.h"
#include "app/features/query/queries.h"
#include "app/features/query/query_tracks.h"
#include "app/features/save_picture/picture_saver.h"
#include "app/features/search/slow_search.h"
#include "app/features/selection/marker_walk.h"
#include "app/features/selection/selection.h"
#include "app/features/series/series_runs.h"
#include "app/features/table/allocation_list.h"
#include "app/features/timeline/block_names.h"
#include "app/features/timeline/pictures.h"
#include "app/features/what_if/what_if_runs.h"
#include "app/picture/spec_picture.h"
#include "app/shell/panels.h"
#include "app/system/crash_report.h"
#include "app/ui/characters.h"
#include "core/base/addresses.h"

namespace snapviewer {

Result<std::unique_ptr<Application>> Application::create(Preferences settings) {
    Result<std::unique_ptr<TimelineCanvas>> canvas = TimelineCanvas::create(MovingPixels::few);
    if (!canvas) return canvas.error();
    return std::unique_ptr<Application>(new Application(std::move(settings), std::move(*canvas)));
}

std::unique_ptr<Application> Application::create_parked(Preferences settings) {
    return std::unique_ptr<Application>(new Application(std::move(settings), nullptr));
}

Application::Application(Preferences settings, std::unique_ptr<TimelineCanvas> canvas) : state_(std::move(settings)) {
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
void Application::put_up_features(std::unique_ptr<TimelineCanvas> canvas) {
    pictures_ = &put_up<Pictures>(state_, std::move(canvas));
    opener_ = &put_up<FileOpener>(state_, *pictures_);
    growing_ = &put_up<GrowingPictures>(state_, *opener_, *pictures_);
    Selection& selection = put_up<Selection>(state_, *pictures_);
    put_up<Navigation>(state_);
    history_ = &put_up<ViewHistory>(state_, *pictures_);
    put_up<MarkerWalk>(state_, *pictures_, selection);
    put_up<LivePage>(state_);
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
    const std::string name = shown_name(path);
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
    return shown_name(state_.document->path) + " - snapviewer";
}

std::string Application::report() const { return state_json(state_, {features_, figures_}); }

void Application::adopt(std::shared_ptr<const Document> document) {
    for (const auto& feature : features_) feature->leave();
    state_.pages = SidePagesState{};
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
    const PanelScene scene = {*pictures_,         *opener_,        board_.commands, compared_->canvases(),
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

}  // namespace snapviewer
