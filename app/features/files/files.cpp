#include "app/features/files/files.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <future>
#include <optional>
#include <system_error>
#include <utility>

#include "app/features/files/files_on_disk.h"
#include "app/features/session.h"
#include "app/system/folders.h"
#include "app/ui/sandboxed.h"
#include "app/ui/texts.h"
#include "core/base/addresses.h"
#include "core/fleet/fleet.h"
#include "core/fleet/series/series_reader.h"
#include "core/system/threads.h"

namespace snapviewer {
namespace {

/// Starts to compute the content hash. It runs on a separate thread, because in a browser every access to the file waits for
/// the page. The hash of a pipe is never computed in parallel, because a second reader would take bytes away from the first.
std::future<std::optional<std::uint64_t>> begin_content_hash(const std::string& path) {
    std::error_code failed;
    const bool is_beside = has_threads() && std::filesystem::is_regular_file(path, failed);
    return std::async(is_beside ? std::launch::async | std::launch::deferred : std::launch::deferred,
                      [path] { return content_hash(path); });
}

}  // namespace

Job<OpenedFile>::Work make_fleet_opening_job(std::string path) {
    return [path = std::move(path)](Progress&) { return OpenedFile{path, {path}, {}, stopped(), {}, {}, {}, true}; };
}

Job<OpenedFile>::Work make_opening_job(std::string path, OpenOptions options, std::shared_ptr<const Document> before) {
    return [path = std::move(path), options = std::move(options), before = std::move(before)](Progress& progress) {
        enter_sandbox_here({});
        std::vector<std::string> paths = {path};
        if (path_kind(path) == PathKind::folder && series::holds_series(path)) {
            OpenedFile opened = make_fleet_opening_job(path)(progress);
            opened.is_series = true;
            return opened;
        }
        if (is_remote_folder(path) || path_kind(path) == PathKind::folder || fleet::is_fleet_database(path))
            return make_fleet_opening_job(path)(progress);
        if (!options.with.empty()) paths.push_back(options.with);
        auto content = begin_content_hash(path);
        FileStamps stamps = read_stamps(paths);
        auto document = open_document(path, options, progress);
        if (document && (*document)->with.empty()) {
            paths = {path};
            stamps.resize(k_stamps_per_path);
        }
        CharacterSet characters = document ? characters_of(**document) : CharacterSet{};
        std::string companion = document && before ? find_companion(**document, *before, progress) : "";
        return OpenedFile{path,
                          std::move(paths),
                          std::move(stamps),
                          std::move(document),
                          std::move(characters),
                          std::move(companion),
                          content.get()};
    };
}

namespace {

constexpr const char* k_sample = "sample.pickle";

const char* companion_of(const Session& session) {
    return session.document ? companion_name(*session.document->snapshot) : nullptr;
}

/// Opens the file dialog. The dialog gets the keyboard focus, even if the command palette would return it to another pane.
void show_file_dialog(Session& session, FilePurpose purpose) {
    session.palette.returns_to.reset();
    session.focus_next.reset();
    session.file_purpose = purpose;
    session.file_dialog.title = purpose == FilePurpose::comparison ? "Compare with a snapshot"
                                : purpose == FilePurpose::tab      ? "Open a snapshot in a new tab"
                                : purpose == FilePurpose::fleet    ? "Open a folder of ranks"
                                                                   : "Open a snapshot";
    session.file_dialog.takes_folders = purpose == FilePurpose::fleet;
    open_file_dialog(session.file_dialog, session.preferences);
}

}  // namespace

void FileOpener::connect_dialogs(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window, .order = 100, .draw = [this](const Area& /*work*/, Requests& requests) {
                                if (const auto path = draw_file_dialog(session_.file_dialog, session_.preferences))
                                    ask_for(*path, requests);
                            }});
    board.docked.push_back({.dock = Dock::window, .order = 200, .draw = [this](const Area& work, Requests& requests) {
                                draw_progress(work, requests);
                            }});
    board.docked.push_back({.dock = Dock::window, .order = 300, .draw = [this](const Area& /*work*/, Requests& requests) {
                                draw_build_and_error(requests);
                            }});
    Commands& commands = board.commands;
    commands.on(CommandId::file_open, {.run = [this] { show_file_dialog(session_, FilePurpose::open); }});
    commands.on(CommandId::file_open_tab, {.run = [this] { show_file_dialog(session_, FilePurpose::tab); }});
    commands.on(CommandId::file_open_fleet,
                {.doc =
                     [](const Session&) {
                         return std::string("The snapshots of all ranks of a job: which ranks stand out, and why");
                     },
                 .run = [this] { show_file_dialog(session_, FilePurpose::fleet); }});
    commands.on(CommandId::file_open_with,
                {.is_possible = [](const Session& session) { return companion_of(session) != nullptr; },
                 .own_words =
                     [](const Session& session) {
                         const char* companion = companion_of(session);
                         return companion == nullptr ? std::string() : std::string("Open with ") + companion + "…";
                     },
                 .run = [this] { show_file_dialog(session_, FilePurpose::companion); }});
    commands.on(CommandId::file_compare,
                {.is_possible = has_picture, .run = [this] { show_file_dialog(session_, FilePurpose::comparison); }});
}

void FileOpener::connect(Switchboard& board) {
    Commands& commands = board.commands;
    connect_dialogs(board);
    handlers_ = &board.handlers;
    commands.on(
        CommandId::file_reload,
        {.is_possible = [](const Session& session) { return can_be_reloaded(session) || is_in_fleet(session); },
         .doc =
             [](const Session& session) {
                 const bool is_read_once = has_document(session) && !can_be_reloaded(session);
                 return std::string(is_read_once ? "Standard input can be read only once" : "");
             },
         .run = [this, &commands] { is_in_fleet(session_) ? commands.at(CommandId::fleet_restart).run() : reload(); }});
    commands.on(CommandId::help_sample, {.is_possible = [](const Session&) { return !installed_file(k_sample).empty(); },
                                         .run = [this] { open(installed_file(k_sample).string()); }});
    commands.on(CommandId::reload_dismiss, {.run = [this] { dismiss_change(); }});
    commands.on(CommandId::pair_dismiss, {.run = [this] { session_.pair_offer.clear(); }});
    commands.on(CommandId::error_dismiss, {.run = [this] { session_.failed.reset(); }});
    commands.on(CommandId::log_dismiss, {.run = [this] { session_.import_log.is_dismissed = true; }});
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::log_show,
                            .is_possible = has_document,
                            .is_open = &session_.import_log.is_open,
                            .draw = [this](const Area& /*area*/, Requests& /*requests*/) { draw_import_log(); }});
    board.handlers.on<OpenFiles>([this](const OpenFiles& asked) { open(asked.paths, asked.part); });
    board.handlers.on<OpenFile>([this](const OpenFile& asked) { open(asked.path); });
    board.handlers.on<OpenWith>([this](const OpenWith& asked) {
        if (session_.document) open(session_.document->path, asked.path);
    });
}

void FileOpener::ask_for(const std::string& path, Requests& requests) const {
    switch (session_.file_purpose) {
        case FilePurpose::open:
        case FilePurpose::fleet: requests.ask(OpenFile{path}); break;
        case FilePurpose::tab: requests.ask(OpenInTab{path}); break;
        case FilePurpose::companion: requests.ask(OpenWith{path}); break;
        case FilePurpose::comparison: requests.ask(CompareWith{path}); break;
    }
}

std::optional<OpeningFile> FileOpener::opening() const {
    if (!job_.is_busy()) return std::nullopt;
    return OpeningFile{path_, job_.is_ready() ? std::nullopt : std::optional(job_.progress().fraction())};
}

/// Other features carry out the requests at once, so that the frame begins with the new document.
void FileOpener::begin_frame() {
    std::optional<OpenedFile> opened = take();
    if (!opened) return;
    const auto carry_out = [this](const Request& request) { handlers_->carry_out(request); };
    if (opened->is_series) return carry_out(OpenSeries{given_});
    if (opened->is_fleet) return carry_out(OpenFleet{given_});
    need_characters(opened->characters);
    carry_out(ShowDocument{*opened->document});
    carry_out(ReadNotes{opened->content});
    session_.pair_offer = opened->companion;
    watch(*opened);
    if (const std::string other = std::exchange(other_, {}); !other.empty()) carry_out(CompareWith{other});
}

void FileOpener::leave() {
    watch_.stop();
    session_.pair_offer.clear();
    session_.import_log = ImportLogState{};
}

namespace {

using JsonValue = nlohmann::json;

const char* disk_change_name(DiskChange change) {
    switch (change) {
        case DiskChange::none: return "unchanged";
        case DiskChange::changed: return "changed";
        case DiskChange::gone: return "gone";
    }
    return "";
}

}  // namespace

void FileOpener::describe(nlohmann::json& report) const {
    report["loading"] = nullptr;
    if (job_.is_busy()) {
        const Progress& progress = job_.progress();
        report["loading"] = {{"file", path_},
                             {"stage", stage_text(progress.stage())},
                             {"fraction", progress.fraction()},
                             {"preview_samples", progress.totals().samples().size()}};
    }
    report["on_disk"] = disk_change_name(session_.on_disk);
    report["error"] = nullptr;
    if (session_.failed) report["error"] = {{"file", session_.failed->path}, {"text", session_.failed->error.text()}};
}

}  // namespace snapviewer
