#include "app/features/files/files.h"

#include <filesystem>
#include <future>
#include <optional>
#include <system_error>
#include <utility>

#include "app/features/kinds/kinds.h"
#include "app/system/folders.h"
#include "app/system/window_system.h"
#include "app/ui/texts.h"
#include "core/base/addresses.h"
#include "core/fleet/fleet.h"
#include "core/fleet/series/series_reader.h"
#include "core/load/remote/fetch.h"
#include "core/system/threads.h"

namespace snapviewer::files {
namespace {

/// Starts to compute the content hash. It runs on a separate thread, because in a browser every access to the file waits for
/// the page. The hash of a pipe is never computed in parallel, because a second reader would take bytes away from the first.
std::future<std::optional<std::uint64_t>> begin_content_hash(const std::string& path) {
    std::error_code failed;
    const bool is_beside = has_threads() && std::filesystem::is_regular_file(path, failed);
    return std::async(is_beside ? std::launch::async | std::launch::deferred : std::launch::deferred,
                      [path] { return content_hash(path); });
}

/// Opens the file or folder at `path`. `before` is the document that is open now, or null. Called on a worker thread.
Result<OpenedFile> open_path(const std::string& path, const OpenOptions& options,
                             const std::shared_ptr<const Document>& before, Progress& progress) {
    const bool is_folder = path_kind(path) == PathKind::folder;
    if (is_folder && series::holds_series(path)) return OpenedFile{.kind = OpenedFile::Kind::series};
    if (is_folder || is_remote_folder(path) || fleet::is_fleet_database(path))
        return OpenedFile{.kind = OpenedFile::Kind::fleet};
    std::vector<std::string> paths = {path};
    if (!options.with.empty()) paths.push_back(options.with);
    auto content = begin_content_hash(path);
    FileStamps stamps = read_stamps(paths);
    Result<std::shared_ptr<const Document>> document = open_document(path, options, progress);
    if (!document) return document.error();
    if ((*document)->with.empty()) {
        paths = {path};
        stamps.resize(k_stamps_per_path);
    }
    OpenedFile opened{.document = *document, .paths = std::move(paths), .stamps = std::move(stamps)};
    opened.characters = characters_of(**document);
    if (before) opened.companion = find_companion(**document, *before, progress);
    opened.content = content.get();
    return opened;
}

}  // namespace

std::string absolute_path(const std::string& path) {
    if (is_remote(path)) return path;
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
    if (failed) return path;
    const std::filesystem::path normal = absolute.lexically_normal();
    return (normal.has_filename() ? normal : normal.parent_path()).string();
}

/// Makes `path` the file that is being opened, and starts its download if it is on another machine. Returns false if that
/// failed. The download starts here, because the worker runs in a sandbox and cannot start ssh.
bool FileOpener::begin(const std::string& path) {
    if (task_.is_busy()) remote::end_fetches(path_);
    task_.discard();
    failed_.reset();
    session_.notice.clear();
    need_characters(path);
    path_ = path;
    other_.clear();
    given_ = {path};
    const Status fetched = is_remote_folder(path) ? Status() : remote::start_fetch(path, ChildProgram::Terminal::none);
    if (!fetched) failed_ = FailedFile{path, fetched.error()};
    return fetched.ok();
}

void FileOpener::open(const std::string& path, const std::string& with, std::uint32_t part) {
    if (!begin(absolute_path(path))) return;
    const OpenOptions options{.with = with.empty() ? "" : absolute_path(with),
                              .or_single = true,
                              .kind_rules = kinds::remembered_rules(session_),
                              .part = part};
    task_.start(0, [path = path_, options, before = session_.document](Progress& progress) {
        return open_path(path, options, before, progress);
    });
}

void FileOpener::open(const std::vector<std::string>& paths, std::uint32_t part) {
    if (paths.empty()) return;
    for (std::size_t i = paths.size(); i-- > 1;) remember_file(session_.preferences, absolute_path(paths[i]));
    if (paths.size() > 2) {
        if (begin(absolute_path(paths.front())))
            task_.start(0, [](Progress&) { return OpenedFile{.kind = OpenedFile::Kind::fleet}; });
    } else {
        open(paths.front(), paths.size() == 2 ? paths.back() : "", part);
        if (paths.size() == 2) other_ = absolute_path(paths.back());
    }
    for (std::size_t i = 1; i < paths.size(); ++i) given_.push_back(absolute_path(paths[i]));
    if (paths.size() == 2) session_.notice = "Opened the first of 2 files; the other one is under File > Open recent";
}

void FileOpener::reload() {
    if (!can_be_reloaded(session_)) return;
    watch_.tell(&ChangeDetector::accept);
    open(session_.document->path, session_.document->with, session_.document->part);
}

void FileOpener::cancel() {
    if (!task_.is_busy()) return;
    task_.discard();
    remote::end_fetches(path_);
    session_.toasts.say("Stopped opening " + display_name(path_));
}

std::optional<OpenedFile> FileOpener::take() {
    std::optional<Result<OpenedFile>> opened = task_.take();
    if (!opened) return std::nullopt;
    if (!*opened) {
        const Error& error = opened->error();
        if (error.code != ErrorCode::memory || !open_with_more_memory(path_)) failed_ = FailedFile{path_, error};
        return std::nullopt;
    }
    remember_file(session_.preferences, path_);
    if ((*opened)->kind != OpenedFile::Kind::document) {
        session_.notice.clear();
        other_.clear();
    } else if (!(*opened)->document->with.empty()) {
        session_.toasts.say("Both files are now open together");
        other_.clear();
    }
    return **std::move(opened);
}

/// Other features carry out the requests at once, so that the frame begins with the new document.
void FileOpener::begin_frame() {
    std::optional<OpenedFile> opened = take();
    if (!opened) return;
    const auto carry_out = [this](const Request& request) { board_->handlers.carry_out(request); };
    if (opened->kind == OpenedFile::Kind::series) return carry_out(OpenSeries{given_});
    if (opened->kind == OpenedFile::Kind::fleet) return carry_out(OpenFleet{given_});
    need_characters(opened->characters);
    carry_out(ShowDocument{opened->document});
    carry_out(ReadNotes{opened->content});
    pair_offer_ = opened->companion;
    watch(*opened);
    if (const std::string other = std::exchange(other_, {}); !other.empty()) carry_out(CompareWith{other});
}

void FileOpener::update() {
    on_disk_ = changed_to();
    if (const std::optional<Error> error = pictures_.take_error()) failed_ = FailedFile{session_.document->path, *error};
    warm_up_canvas();
}

/// Prepares the canvas while a file is read. In a browser, a page is open before its user chooses a file, so the canvas is
/// prepared then. In both cases a frame is drawn first, because this takes long.
void FileOpener::warm_up_canvas() {
    const bool is_opening = task_.is_busy();
    if (!is_opening) has_shown_progress_ = false;
    const bool has_shown = std::exchange(is_opening ? has_shown_progress_ : has_shown_welcome_, true);
    if (has_shown && (is_opening || !k_may_sleep)) pictures_.canvas().warm_up();
}

std::optional<OpeningFile> FileOpener::opening() const {
    if (!task_.is_busy()) return std::nullopt;
    return OpeningFile{path_, task_.is_ready() ? std::nullopt : std::optional(task_.progress().fraction())};
}

void FileOpener::leave() {
    watch_.stop();
    pair_offer_.clear();
    import_log_ = ImportLogState{};
}

namespace {

constexpr const char* k_sample = "sample.pickle";

const char* companion_of(const Session& session) {
    return session.document ? companion_name(*session.document->snapshot) : nullptr;
}

}  // namespace

void FileOpener::connect_dialogs(Switchboard& board) {
    board.docked.push_back({.dock = Dock::menu,
                            .is_there = [](const Session& session) { return !session.preferences.recent_files.empty(); },
                            .menu = Menu::recent,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw_recent_menu(requests); }});
    board.docked.push_back({.dock = Dock::window, .order = 100, .draw = [this](const Area& /*work*/, Requests& requests) {
                                draw_dialog(requests);
                            }});
    board.docked.push_back({.dock = Dock::window, .order = 200, .draw = [this](const Area& work, Requests& requests) {
                                draw_progress_cover(work, requests);
                            }});
    board.docked.push_back({.dock = Dock::window, .order = 300, .draw = [this](const Area& /*work*/, Requests& requests) {
                                draw_build_dialog(requests);
                                draw_error_dialog(requests);
                            }});
    board.docked.push_back({.dock = Dock::above_picture, .order = 200, .draw = [this](const Area&, Requests& requests) {
                                draw_banners(requests);
                            }});
    board.docked.push_back({.dock = Dock::above_picture,
                            .order = 400,
                            .is_there = [](const Session& session) { return !has_any_picture(session); },
                            .draw = [this](const Area&, Requests& requests) { draw_welcome(requests); }});
    Commands& commands = board.commands;
    commands.on(CommandId::file_open, {.run = [this] { show_dialog(FilePurpose::open); }});
    commands.on(CommandId::file_open_tab, {.run = [this] { show_dialog(FilePurpose::tab); }});
    commands.on(CommandId::file_open_fleet,
                {.doc = [](const Session&) { return "The snapshots of all ranks of a job: which ranks stand out, and why"; },
                 .run = [this] { show_dialog(FilePurpose::fleet); }});
    commands.on(CommandId::file_open_with,
                {.is_possible = [](const Session& session) { return companion_of(session) != nullptr; },
                 .own_words = [](const Session& session) -> std::string {
                     const char* companion = companion_of(session);
                     return companion == nullptr ? "" : std::string("Open with ") + companion + "…";
                 },
                 .run = [this] { show_dialog(FilePurpose::companion); }});
    commands.on(CommandId::file_compare,
                {.is_possible = has_picture, .run = [this] { show_dialog(FilePurpose::comparison); }});
}

void FileOpener::connect(Switchboard& board) {
    Commands& commands = board.commands;
    connect_dialogs(board);
    board_ = &board;
    commands.on(
        CommandId::file_reload,
        {.is_possible = [](const Session& session) { return can_be_reloaded(session) || is_in_fleet(session); },
         .doc = [](const Session& session) -> std::string {
             const bool is_read_once = has_document(session) && !can_be_reloaded(session);
             return is_read_once ? "Standard input can be read only once" : "";
         },
         .run = [this, &commands] { is_in_fleet(session_) ? commands.at(CommandId::fleet_restart).run() : reload(); }});
    commands.on(CommandId::help_sample, {.is_possible = [](const Session&) { return !installed_file(k_sample).empty(); },
                                         .run = [this] { open(installed_file(k_sample).string()); }});
    commands.on(CommandId::reload_dismiss, {.run = [this] { watch_.tell(&ChangeDetector::accept); }});
    commands.on(CommandId::pair_dismiss, {.run = [this] { pair_offer_.clear(); }});
    commands.on(CommandId::error_dismiss, {.run = [this] { failed_.reset(); }});
    commands.on(CommandId::log_dismiss, {.run = [this] { import_log_.is_dismissed = true; }});
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::log_show,
                            .is_possible = has_document,
                            .is_open = &import_log_.is_open,
                            .draw = [this](const Area&, Requests&) { draw_import_log_window(); }});
    board.handlers.on<OpenFiles>([this](const OpenFiles& asked) { open(asked.paths, asked.part); });
    board.handlers.on<OpenFile>([this](const OpenFile& asked) { open(asked.path); });
}

/// Asks to open the path that was chosen in the file dialog.
void FileOpener::ask_for(const std::string& path, Requests& requests) {
    switch (dialog_.purpose) {
        case FilePurpose::open:
        case FilePurpose::fleet: requests.ask(OpenFile{path}); break;
        case FilePurpose::tab: requests.ask(OpenInTab{path}); break;
        case FilePurpose::companion: ask_to_open_with(path, requests); break;
        case FilePurpose::comparison: requests.ask(CompareWith{path}); break;
    }
}

/// Asks to open a file together with the open one.
void FileOpener::ask_to_open_with(const std::string& path, Requests& requests) {
    requests.later("open together with it " + path, [this, path] {
        if (session_.document) open(session_.document->path, path);
    });
}

}  // namespace snapviewer::files
