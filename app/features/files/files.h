#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/features/files/files_on_disk.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/background_task.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"
#include "app/ui/texts.h"
#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer::files {

/// The purpose for which the file dialog is open.
enum class FilePurpose : std::uint8_t { open, tab, companion, comparison, fleet };

/// State of the file dialog. It has one text field for a path, and a table of files. Text after the last slash filters the
/// table, so that typing, the arrow keys and the mouse can be mixed. The text field keeps the keyboard focus.
struct FileDialogState {
    FilePurpose purpose = FilePurpose::open;
    bool open_requested = false;
    std::string path_text;                   ///< text in the path field
    std::string parsed_text;                 ///< value of path_text from which `folder` and `filter.prefix` were computed
    std::optional<std::string> forced_text;  ///< new text for the path field, which ImGui is editing; nullopt for no change
    bool focus_path = false;

    std::vector<std::string> elsewhere;  ///< folders on other machines from which files were fetched
    bool is_elsewhere = false;  ///< true if the path in the field is on another machine, so that no files are listed

    std::string folder;                ///< folder whose entries are listed
    bool is_trace_folder = false;      ///< true if the listed folder can be opened as a whole
    std::string folder_error;          ///< the reason why the folder could not be listed; empty if it could
    std::vector<FolderEntry> entries;  ///< sorted entries of the folder
    FolderFilter filter;
    FolderSort sort = FolderSort::name;
    bool sort_descending = false;
    std::vector<std::uint32_t> visible;  ///< indices of the entries that pass the filter
    std::optional<std::size_t> cursor;   ///< row of `visible` that Enter opens; nullopt if Enter opens the path in the field
    std::ptrdiff_t page_rows = 10;
    bool scroll_to_cursor = false;
    std::string note;  ///< the reason why the choice was rejected; empty if it was not

    /// True if any folder can be chosen.
    bool takes_folders() const { return purpose == FilePurpose::fleet; }
};

/// State of the import log: a banner that the user can dismiss, and a window that lists the problems of the file.
struct ImportLogState {
    bool is_open = false;
    bool is_dismissed = false;  ///< true if the user has dismissed the banner
};

/// A file that could not be opened, and why.
struct FailedFile {
    std::string path;
    Error error;
};

/// The content found at a path.
struct OpenedFile {
    enum class Kind : std::uint8_t {
        document,
        fleet,  ///< the files of a fleet, which are not read yet; there is no document
        series  ///< a folder with the samples of a recorder, which are not read yet; there is no document
    };
    Kind kind = Kind::document;
    std::shared_ptr<const Document> document = nullptr;
    std::vector<std::string> paths = {};  ///< paths of all files that were read
    FileStamps stamps = {};               ///< stamps of `paths`, taken before they were read
    CharacterSet characters = {};         ///< characters that the document's texts need
    std::string companion = {};  ///< a previously open file that can be opened together with the new one; usually empty
    std::optional<std::uint64_t> content = {};  ///< hash of the file's content, see content_hash()
};

/// Normalises a path for Session: absolute, without a trailing slash. Remote addresses stay unchanged.
std::string absolute_path(const std::string& path);

/// Opens files on a worker thread and watches the open file for changes. The open document stays until the new one is ready,
/// even if opening fails. Draws the file dialog, the progress, the welcome screen, and errors and notices about a file.
class FileOpener : public Feature {
public:
    /// Both arguments must outlive this object.
    FileOpener(Session& session, Pictures& pictures) : session_(session), pictures_(pictures) {}

    /// Starts to open a file, together with the file `with` if it is not empty. `part` is OpenOptions::part. Used by menu,
    /// drag and drop, and the command line.
    void open(const std::string& path, const std::string& with = "", std::uint32_t part = 1);
    /// Opens several files. Two reports of one model are opened together. Of two other files, the first is opened and the
    /// second is compared with it. More than two files are opened as the ranks of a fleet. Adds all paths to the recent
    /// files.
    void open(const std::vector<std::string>& paths, std::uint32_t part = 1);
    /// Reads the open file again.
    void reload();
    /// Cancels opening immediately, without waiting for the worker.
    void cancel() override;
    /// Takes the document that was opened and asks for it to be shown. Errors are shown in a dialog instead.
    void begin_frame() override;
    void update() override;
    std::optional<OpeningFile> opening() const override;
    bool is_busy() const override { return task_.is_busy(); }
    bool has_news() const override { return changed_to() != on_disk_; }
    bool covers_window() const override { return is_covered_by_progress_; }
    std::string file_note() const override { return on_disk_ == DiskChange::gone ? "no longer on disk" : ""; }
    void connect(Switchboard& board) override;
    void leave() override;

    /// How the open file has changed on the disk since it was opened.
    DiskChange on_disk() const { return on_disk_; }
    const ImportLogState& import_log() const { return import_log_; }
    /// The progress of the file that is being opened; nullptr if there is none.
    const Progress* progress() const { return task_.is_busy() ? &task_.progress() : nullptr; }
    /// The file whose error is on the screen.
    const std::optional<FailedFile>& failed() const { return failed_; }

private:
    void connect_dialogs(Switchboard& board);
    bool begin(const std::string& path);
    std::optional<OpenedFile> take();
    DiskChange changed_to() const { return watch_.ask(&ChangeDetector::change); }
    void watch(OpenedFile& opened) {
        watch_.start(ChangeDetector(std::move(opened.stamps)),
                     [paths = std::move(opened.paths)] { return read_stamps(paths); });
    }
    void warm_up_canvas();
    void show_dialog(FilePurpose purpose);
    void draw_dialog(Requests& requests);
    void ask_for(const std::string& path, Requests& requests);
    void ask_to_open_with(const std::string& path, Requests& requests);
    void draw_pair_banner(Requests& requests);
    void draw_progress_cover(const Area& covered, Requests& requests);
    void draw_build_dialog(Requests& requests) const;
    void draw_error_dialog(Requests& requests);
    void draw_banners(Requests& requests);
    void draw_import_log_window();
    void draw_recent_menu(Requests& requests);
    void draw_welcome(Requests& requests) const;

    Session& session_;
    Pictures& pictures_;
    const Switchboard* board_ = nullptr;
    std::string path_;                ///< path of the file that is being opened, or was opened last
    std::string other_;               ///< the second of two files passed to open(), until the first one is shown
    std::vector<std::string> given_;  ///< all paths passed to the last call of open(), including the opened file
    BackgroundTask<OpenedFile> task_;
    bool has_shown_progress_ = false;  ///< true once a frame has shown that the file is being read
    bool has_shown_welcome_ = false;   ///< true once a frame has shown the window without a file
    bool is_covered_by_progress_ = false;
    DiskWatch<ChangeDetector> watch_;
    DiskChange on_disk_ = DiskChange::none;  ///< the change that the window shows
    std::string pair_offer_;                 ///< path of a file that may belong to the open one; empty if there is none
    std::optional<FailedFile> failed_;
    ImportLogState import_log_;
    FileDialogState dialog_;
};

}  // namespace snapviewer::files
