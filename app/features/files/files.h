#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/features/files/files_on_disk.h"
#include "app/features/files/state.h"
#include "app/features/preferences.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"
#include "app/ui/texts.h"
#include "core/base/job.h"
#include "core/document/document.h"

namespace snapviewer {

/// Delay before a progress dialog appears, because a dialog for a file or picture that is ready sooner would only flicker.
inline constexpr double k_quiet_load_ms = 150;

struct OpenedFile {
    std::string path;
    std::vector<std::string> paths;  ///< paths of all files that were read
    FileStamps stamps;               ///< stamps of `paths`, taken before they were read
    Result<std::shared_ptr<const Document>> document;
    CharacterSet characters;  ///< characters that the document's texts need
    std::string companion;    ///< a previously open file that can be opened together with the new one; usually empty
    std::optional<std::uint64_t> content = {};  ///< hash of the file's content, see content_hash()
    bool is_fleet = false;                      ///< true for a fleet, whose files are not read yet; there is no document
    /// True for a folder with the samples of a recorder, which are not read yet; there is no document.
    bool is_series = false;
};

/// The work that opens a file. `before` is the document that is open now, or null.
Job<OpenedFile>::Work make_opening_job(std::string path, OpenOptions options, std::shared_ptr<const Document> before);
/// The work that opens a fleet whose first file is `path`. It reads no file, because the fleet window does that.
Job<OpenedFile>::Work make_fleet_opening_job(std::string path);

/// Normalises a path for Session: absolute, without a trailing slash. Remote addresses stay unchanged.
std::string absolute_path(const std::string& path);

/// Opens files on a worker thread and watches the open file for changes. The open document stays until the new one is ready,
/// even if opening fails.
class FileOpener : public Feature {
public:
    /// `state` and `pictures` must outlive this object.
    FileOpener(Session& session, const Pictures& pictures) : session_(session), pictures_(pictures) {}

    /// Starts to open a file, together with the file `with` if it is not empty. `part` is OpenOptions::part. Used by menu,
    /// drag and drop, and the command line.
    void open(const std::string& path, const std::string& with = "", std::uint32_t part = 1);
    /// Opens several files. Two reports of one model are opened together. Of two other files, the first is opened and the
    /// second is compared with it. More than two files are opened as the ranks of a fleet. Adds all paths to the recent
    /// files.
    void open(const std::vector<std::string>& paths, std::uint32_t part = 1);
    /// Reads the open file again.
    void reload();
    /// Withdraws the offer to reload: all changes on the disk so far count as seen.
    void dismiss_change() { watch_.tell(&ChangeDetector::accept); }
    /// Cancels opening immediately, without waiting for the worker.
    void cancel() override;
    /// Takes the document that was opened and asks for it to be shown. Errors are stored in Session::failed instead.
    void begin_frame() override;
    std::optional<OpeningFile> opening() const override;
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    bool has_news() const override { return on_disk() != session_.on_disk; }
    DiskChange on_disk() const { return watch_.ask(&ChangeDetector::change); }

    void connect(Switchboard& board) override;
    void leave() override;
    void describe(nlohmann::json& report) const override;

private:
    void connect_dialogs(Switchboard& board);
    std::optional<OpenedFile> take();
    void watch(OpenedFile& opened) {
        watch_.start(ChangeDetector(std::move(opened.stamps)),
                     [paths = std::move(opened.paths)] { return read_stamps(paths); });
    }
    void ask_for(const std::string& path, Requests& requests) const;
    void warm_up_canvas();
    void draw_progress(const Area& work, Requests& requests);
    void draw_build_and_error(Requests& requests);
    void draw_import_log();
    void begin(const std::string& path, Job<OpenedFile>::Work work);

    Session& session_;
    const Pictures& pictures_;
    std::string path_;
    std::string other_;               ///< the second of two files passed to open(), until the first one is shown
    std::vector<std::string> given_;  ///< all paths passed to the last call of open(), including the opened file
    const RequestHandlers* handlers_ = nullptr;
    Job<OpenedFile> job_;
    bool has_told_ = false;   ///< true once a frame has shown that the file is being read
    bool was_shown_ = false;  ///< true once a frame has shown the window without a file
    DiskWatch<ChangeDetector> watch_;
};

/// Shows the file dialog from the next draw on, starting in the last used folder. Uses the native dialog of the system if
/// there is one.
void open_file_dialog(FileDialogState& state, const Preferences& settings);

/// Must be called once per frame. Returns the absolute path of the file or trace folder once the user has chosen it. O(rows
/// on the screen) per frame.
std::optional<std::string> draw_file_dialog(FileDialogState& state, Preferences& settings);

// Banners above the timeline, each with an offer that the user can accept or dismiss.

/// Draws the offer to open the current file together with the previously open one.
void draw_pair_banner(const std::string& other_path, Requests& requests);

/// Draws the offer to reload a file that has changed on the disk.
void draw_reload_banner(const std::string& path, Requests& requests);

}  // namespace snapviewer
