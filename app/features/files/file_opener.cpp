#include "app/features/files/file_opener.h"

#include <filesystem>
#include <utility>

#include "app/features/conditions.h"
#include "app/features/files/load_dialogs.h"
#include "app/features/kinds/own_rules.h"
#include "app/system/window_system.h"
#include "app/ui/characters.h"
#include "core/base/addresses.h"
#include "core/load/remote/fetch.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_most_compared = 2;

}  // namespace

std::string absolute_path(const std::string& path) {
    if (is_remote(path)) return path;
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
    if (failed) return path;
    const std::filesystem::path normal = absolute.lexically_normal();
    return (normal.has_filename() ? normal : normal.parent_path()).string();
}

void FileOpener::begin(const std::string& path, Job<OpenedFile>::Work work) {
    if (job_.is_busy()) end_fetches(path_);
    state_.failed.reset();
    state_.notice.clear();
    need_characters(path);
    path_ = path;
    other_.clear();
    given_ = {path};
    // The download starts here, because the worker runs in a sandbox and cannot start ssh.
    const Status fetched = is_remote_folder(path) ? Status() : start_fetch(path, ChildProgram::Terminal::none);
    if (fetched)
        job_.start(std::move(work));
    else
        state_.failed = FailedFile{path, fetched.error()};
}

void FileOpener::open(const std::string& path, const std::string& with, std::uint32_t part) {
    observer_ = std::make_shared<ReadingObserver>();
    begin(absolute_path(path), make_opening_job(absolute_path(path),
                                                {.with = with.empty() ? "" : absolute_path(with),
                                                 .else_alone = true,
                                                 .kind_rules = remembered_rules(state_),
                                                 .part = part},
                                                state_.document, observer_));
}

void FileOpener::open(const std::vector<std::string>& paths, std::uint32_t part) {
    if (paths.empty()) return;
    for (std::size_t i = paths.size(); i-- > 1;) remember_file(state_.preferences, absolute_path(paths[i]));
    if (paths.size() > k_most_compared) {
        begin(absolute_path(paths.front()), make_fleet_opening_job(absolute_path(paths.front())));
    } else {
        open(paths.front(), paths.size() == 2 ? paths.back() : "", part);
        if (paths.size() == 2) other_ = absolute_path(paths.back());
    }
    for (std::size_t i = 1; i < paths.size(); ++i) given_.push_back(absolute_path(paths[i]));
    if (paths.size() == 2) state_.notice = "Opened the first of 2 files; the other one is under File > Open recent";
}

void FileOpener::reload() {
    if (!can_be_reloaded(state_)) return;
    watch_.tell(&ChangeDetector::accept);
    open(state_.document->path, state_.document->with, state_.document->part);
}

void FileOpener::stop() {
    if (!job_.is_busy()) return;
    job_.discard();
    end_fetches(path_);
    state_.toasts.say("Stopped opening " + shown_name(path_));
}

std::optional<OpenedFile> FileOpener::take() {
    std::optional<OpenedFile> opened = job_.take();
    if (!opened) return std::nullopt;
    if (opened->is_fleet) {
        remember_file(state_.preferences, opened->path);
        state_.notice.clear();
        other_.clear();
        return opened;
    }
    if (opened->document) {
        remember_file(state_.preferences, opened->path);
        if (!opened->document.value()->with.empty()) {
            state_.toasts.say("Both files are now open together");
            other_.clear();
        }
        return opened;
    }
    const Error& error = opened->document.error();
    if (error.code == ErrorCode::memory && open_with_more_memory(opened->path)) return std::nullopt;
    state_.failed = FailedFile{opened->path, error};
    return std::nullopt;
}

void FileOpener::draw(Requests& /*requests*/) {
    if (state_.document) draw_import_log_window(state_.document->snapshot->log, state_.import_log.is_open);
}

}  // namespace snapviewer
