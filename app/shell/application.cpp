#include "app/shell/application.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cassert>
#include <ranges>
#include <string_view>

#include "app/features/session.h"
#include "app/shell/panels.h"
#include "app/system/crash_report.h"
#include "app/ui/fonts.h"
#include "app/ui/texts.h"
#include "core/base/addresses.h"
#include "core/base/text.h"

namespace snapviewer::shell {

Result<std::unique_ptr<Application>> Application::create(Preferences settings) {
    Result<std::unique_ptr<render::TimelineCanvas>> canvas = render::TimelineCanvas::create(render::MovingPixels::few);
    if (!canvas) return canvas.error();
    return std::unique_ptr<Application>(new Application(std::move(settings), std::move(*canvas)));
}

std::unique_ptr<Application> Application::create_parked(Preferences settings) {
    return std::unique_ptr<Application>(new Application(std::move(settings), nullptr));
}

Application::Application(Preferences settings, std::unique_ptr<render::TimelineCanvas> canvas)
    : session_(std::move(settings)) {
    create_features(std::move(canvas));
    for (const auto& feature : features_) feature->connect(board_);
    connect();
    keyboard_ = std::make_unique<Keyboard>(session_, board_.commands, board_.requests);
    for (const std::string& path : session_.preferences.recent_files) need_characters(path);
    for (const std::string& sql : session_.preferences.query_history) need_characters(sql);
    for (const std::string& sql : session_.preferences.saved_queries) need_characters(sql);
}

/// Each feature depends only on those before it, so destruction runs in reverse order.
Application::~Application() {
    while (!features_.empty()) features_.pop_back();
}

void Application::take_place_of(Application& other) {
    session_.preferences = other.session_.preferences;
    is_full_screen_ = other.is_full_screen_;
    frame_ms_ = other.frame_ms_;
    for (const auto& feature : other.features_) feature->park();
    other.keyboard_->release_all();
    for (std::size_t i = 0; i < features_.size(); ++i) features_[i]->take_place_of(*other.features_[i]);
    // Ends the editing of text fields, because they belong to the file that was in front before.
    ImGui::SetWindowFocus(nullptr);
    session_.focus_next = Pane::timeline;
}

std::optional<OpeningFile> Application::opening() const {
    for (const auto& feature : features_) {
        if (std::optional<OpeningFile> opening = feature->opening()) return opening;
    }
    return std::nullopt;
}

void Application::cancel() {
    for (const auto& feature : features_) feature->cancel();
}

TabName Application::tab_name() const {
    const std::optional<OpeningFile> file = opening();
    const std::string path = file ? file->path : session_.document ? session_.document->path : "";
    if (path.empty()) return {"New tab", "", {}};
    const std::string name = display_name(path);
    return {session_.opened_rank ? rank_words(*session_.opened_rank) + " · " + name : name, path,
            file ? file->fraction : std::nullopt};
}

bool Application::is_loading() const {
    const std::optional<OpeningFile> file = opening();
    return file && file->fraction;
}

bool Application::is_empty() const { return !session_.document && !opening(); }

bool Application::is_animating() const {
    return keyboard_->moves_picture() || session_.toasts.is_fading() ||
           std::ranges::any_of(features_, [](const auto& feature) { return feature->is_busy(); });
}

bool Application::has_news() const {
    return session_.toasts.is_fading() ||
           std::ranges::any_of(features_, [](const auto& feature) { return feature->has_news(); });
}

std::string Application::window_title() const {
    if (!session_.document) return "snapviewer";
    return display_name(session_.document->path) + " - snapviewer";
}

void Application::adopt(std::shared_ptr<const Document> document) {
    for (const auto& feature : features_) feature->leave();
    show_first_page();
    std::shared_ptr<const Document> left = std::exchange(session_.document, std::move(document));
    for (const auto& feature : features_) feature->adopt();
    session_.focus_next = Pane::timeline;
    if (!left) return;
    freeing_.start([left = std::move(left)](Progress&) mutable {
        left.reset();
        return true;
    });
}

void Application::open_files(const std::vector<std::string>& paths, std::uint32_t part) {
    for (const std::string& path : paths) note_action("open " + path);
    board_.handlers.carry_out(OpenFiles{paths, part});
}

void Application::frame(const FrameInput& input) {
    for (const auto& feature : features_) feature->begin_frame();
    freeing_.take();
    had_window_ = window_has_keyboard();
    const bool is_covered = std::ranges::any_of(features_, [](const auto& feature) { return feature->covers_window(); });
    keyboard_->handle(input.keys, input.lost_focus, is_covered);
    for (const auto& feature : features_) feature->update();
    session_.toasts.update();
    draw();
    for (const auto& feature : features_) feature->end_drawing(ImGui::GetTime());
    carry_out_requests();
    for (const auto& feature : features_) feature->end_frame();
    if (session_.preferences.needs_saving) keep_preferences();
}

void Application::draw() {
    const Area work =
        draw_panels(session_, board_, tab_strip_, file_note(), shows_frame_times_ ? std::optional(frame_ms_) : std::nullopt);
    for (const DockRow& row : board_.docked) {
        if (row.dock == Dock::window) row.draw(work, board_.requests);
    }
}

std::string Application::file_note() const {
    std::string note;
    for (const auto& feature : features_ | std::views::reverse) {
        if (const std::string part = feature->file_note(); !part.empty()) note += "  ·  " + part;
    }
    return note;
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
    // A command of the palette may have focused a pane, so the palette must not return the focus to the previous one.
    if (session_.focus_next) session_.focus_returns_to.reset();
}

/// Saves preferences, so that they survive a crash. Reports a failure only once, because the next attempt will fail in the
/// same way.
void Application::keep_preferences() {
    session_.preferences.needs_saving = false;
    const Status kept = save_preferences(session_.preferences, OutputFile::Durability::unsynced);
    if (kept || has_reported_preferences_) return;
    has_reported_preferences_ = true;
    session_.notice = preferences_not_kept(kept.error());
}

// Commands of the window itself, which do not depend on the features.

namespace {

bool has_page(const Session& session, const DockRow& page) { return has_picture(session) && page.is_shown(session); }

/// The sort key of a row among those of its dock. Pages have the order of their commands.
int dock_order(const DockRow& row) {
    if (row.dock != Dock::page) return row.order;
    return row.command ? static_cast<int>(*row.command) : static_cast<int>(k_command_count);
}

}  // namespace

void Application::connect() {
    board_.handlers.on<RunCommand>([this](const RunCommand& asked) { board_.commands.at(asked.id).run(); });
    board_.handlers.on<ShowDocument>([this](const ShowDocument& asked) { adopt(asked.document); });
    board_.handlers.on<CopyText>([this](const CopyText& asked) {
        ImGui::SetClipboardText(asked.text.c_str());
        session_.toasts.say(asked.what + " copied to the clipboard");
    });
    connect_tabs();
    connect_window();
    connect_docked();
    connect_scale();
    connect_theme();
}

void Application::connect_tabs() {
    const auto has_several_tabs = [this](const Session&) { return tab_strip_.has_several(); };
    const auto ask_for = [this](TabRequest request) { tab_requests_.push_back(std::move(request)); };
    board_.handlers.on<OpenInTab>(ask_for);
    board_.handlers.on<ShowTab>(ask_for);
    board_.handlers.on<CloseTab>(ask_for);
    board_.commands.on(CommandId::go_next_tab,
                       {.is_possible = has_several_tabs, .run = [this, ask_for] { ask_for(ShowTab{tab_strip_.next()}); }});
    board_.commands.on(CommandId::go_previous_tab, {.is_possible = has_several_tabs,
                                                    .run = [this, ask_for] { ask_for(ShowTab{tab_strip_.previous()}); }});
    board_.commands.on(
        CommandId::file_close,
        {.is_possible = [this](const Session& session) { return has_document(session) || tab_strip_.has_several(); },
         .run = [this] { close(); }});
    board_.commands.on(CommandId::file_quit, {.run = [this] { wants_quit_ = true; }});
}

/// The pane that gets the keyboard after `from`: picture, details, then the docked panels that have one.
Pane Application::next_pane(Pane from) const {
    std::vector<Pane> panes = {Pane::timeline, Pane::details};
    for (const DockRow& row : board_.docked) {
        if (row.dock == Dock::panel && row.pane && row.is_shown(session_)) panes.push_back(*row.pane);
    }
    const auto found = std::ranges::find(panes, from);
    return found == panes.end() || found + 1 == panes.end() ? Pane::timeline : found[1];
}

void Application::connect_window() {
    // The key stops a query instead while one runs.
    const auto is_key_free = [this](const Session& session) {
        return std::ranges::none_of(board_.commands.all(), [&](const Command& each) {
            return each.id != CommandId::edit_dismiss && each.keys == std::string_view(keys_of(CommandId::edit_dismiss)) &&
                   each.can_run(session);
        });
    };
    board_.commands.on(CommandId::edit_dismiss, {.is_possible = is_key_free, .run = [this] { dismiss(); }});
    board_.commands.on(CommandId::load_cancel, {.run = [this] { cancel(); }});
    board_.commands.on(CommandId::view_next_pane, {.is_possible = has_document, .run = [this] {
                                                       session_.focus_next =
                                                           next_pane(session_.focus_returns_to.value_or(session_.focused));
                                                   }});
    board_.commands.on(CommandId::view_full_screen, {.is_on = [this](const Session&) { return is_full_screen_; },
                                                     .run = [this] { is_full_screen_ = !is_full_screen_; }});
    board_.commands.on(CommandId::view_frame_times, {.is_on = [this](const Session&) { return shows_frame_times_; },
                                                     .run = [this] { shows_frame_times_ = !shows_frame_times_; }});
}

/// Sorts the docked rows, and registers the behaviour of their commands.
void Application::connect_docked() {
    std::ranges::stable_sort(board_.docked, {}, [](const DockRow& row) { return std::pair(row.dock, dock_order(row)); });
    for (const DockRow& row : board_.docked) {
        if (!row.command) continue;
        if (row.dock == Dock::page)
            board_.commands.on(*row.command, page_behaviour(row));
        else
            board_.commands.on(*row.command, {.is_possible = row.is_possible,
                                              .doc = row.doc,
                                              .run = [this, is_open = row.is_open] { session_.open_window(*is_open); }});
    }
    show_first_page();
}

CommandBehaviour Application::page_behaviour(const DockRow& page) {
    return {
        .is_possible = [&page](const Session& session) { return has_page(session, page); },
        .doc =
            [&page](const Session& session) { return has_page(session, page) || !has_picture(session) ? "" : page.why_not; },
        .run =
            [this, &page] {
                for (const DockRow& row : board_.docked) {
                    if (row.hide) row.hide();
                }
                session_.pages.next = page.id;
            }};
}

void Application::show_first_page() {
    const std::string_view first = std::ranges::find(board_.docked, Dock::page, &DockRow::dock)->id;
    session_.pages = SidePagesState{first, first, {}};
}

/// Registers the commands that enlarge and shrink the interface. They work regardless of the keyboard focus, and apply to
/// all windows of the program.
void Application::connect_scale() {
    const auto can_step = [](const Session& session, bool larger) {
        return next_interface_scale(session.preferences.interface_scale, larger) != session.preferences.interface_scale;
    };
    const auto step = [this](bool larger) {
        set_interface_scale(next_interface_scale(session_.preferences.interface_scale, larger));
    };
    board_.commands.on(CommandId::view_larger,
                       {.is_possible = [can_step](const Session& session) { return can_step(session, true); },
                        .run = [step] { step(true); }});
    board_.commands.on(CommandId::view_smaller,
                       {.is_possible = [can_step](const Session& session) { return can_step(session, false); },
                        .run = [step] { step(false); }});
    board_.commands.on(CommandId::view_normal_size,
                       {.is_possible = [](const Session& session) { return session.preferences.interface_scale != 1; },
                        .run = [this] { set_interface_scale(1); }});
}

void Application::connect_theme() {
    for (const auto& [choice, id] :
         {std::pair{ThemeChoice::system, CommandId::theme_system}, std::pair{ThemeChoice::dark, CommandId::theme_dark},
          std::pair{ThemeChoice::light, CommandId::theme_light}}) {
        board_.commands.on(
            id, {.is_on = [choice = choice](const Session& session) { return session.preferences.theme == choice; },
                 .run = [this, choice = choice] { session_.preferences.theme = choice; }});
    }
}

void Application::set_interface_scale(float scale) {
    if (scale == session_.preferences.interface_scale) return;
    session_.preferences.interface_scale = scale;
    session_.toasts.say(fmt::format("Interface at {:.0f} %", 100 * static_cast<double>(scale)));
}

/// Closes the tab, or the document if there is only one tab.
void Application::close() {
    if (tab_strip_.has_several())
        tab_requests_.emplace_back(CloseTab{tab_strip_.shown});
    else
        adopt(nullptr);
}

/// Handles Esc: undoes the innermost state of the window first, such as a running load, a view or the selection.
void Application::dismiss() {
    cancel();  // stops a load even before its dialog appears
    if (had_window_) return;
    for (const auto& feature : features_) {
        if (feature->dismiss(board_.requests)) return;
    }
}

}  // namespace snapviewer::shell
