#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/system/files.h"

namespace snapviewer {

/// Removes a file or folder in its destructor, unless keep() was called; so does a signal that ends the program (see
/// remove_temporary_files_on_signals). Construct it before the file is created, so that the file exists at no moment
/// unguarded. A process guards up to 32 paths against signals at a time; beyond that, only the destructor removes them.
class TemporaryPath {
public:
    enum class Kind : std::uint8_t { file, folder };  ///< a folder is only removed if it is empty

    explicit TemporaryPath(std::string path, Kind kind = Kind::file);
    TemporaryPath(TemporaryPath&& other) noexcept;
    TemporaryPath& operator=(TemporaryPath&&) = delete;
    ~TemporaryPath();

    const std::string& path() const { return path_; }
    /// Stops guarding the path, because it was renamed or is complete.
    void keep();

private:
    std::string path_;  ///< path that is guarded; empty after keep()
    Kind kind_;
    int place_;  ///< index in the table of the signal handler, or -1
};

/// True if a file name is that of a temporary file.
bool is_temporary_name(std::string_view name);

/// Removes this user's abandoned temporary files in `folder`: those last written an hour or more before `new_file`, which
/// the caller has just created there. The processes that wrote them were killed. Comparing the times of two files avoids the
/// clock of this machine, which may differ from that of a file server. O(entries of the folder).
void remove_abandoned_temporary_files(const std::string& folder, const FileHandle& new_file);

/// Removes all temporary files of this process. For signal handlers: takes no locks and no memory.
void remove_temporary_files_now();

/// Removes all temporary files before the program ends by a signal or by _Exit(), while other threads may be writing. No
/// thread can create another temporary file afterwards. Takes some milliseconds. Safe in signal handlers.
void remove_temporary_files_for_good();

/// Makes the signals that ask a program to end (SIGINT, SIGTERM, SIGHUP and others, unless they are ignored) remove the
/// temporary files and then end the program immediately. Unnamed temporary files need no removal. The parent process sees
/// the signal, a shell the status 128 + its number. Also turns exceeding the limit of the file size into an error of writing
/// instead of a signal. Call once, before other threads start.
void remove_temporary_files_on_signals();

/// A file that is written completely or not at all. The text goes into a temporary file with an unpredictable name in the
/// same folder, which then replaces the file at `path` (a symbolic link there is replaced, not followed). The new file keeps
/// the permissions of the file that it replaces. A temporary file that is not put in place is removed;
/// so are temporary files that a killed process left in that folder. One thread at a time; errors have code io.
///
///     auto file = OutputFile::create("report.json");
///     if (!file) return file.error();
///     file->write(text);
///     return file->commit();  // report.json is unchanged until here
class OutputFile {
public:
    /// Whether the file is flushed to the disk before commit() returns, so that it survives a power failure.
    enum class Durability { synced, unsynced };

    static Result<OutputFile> create(const std::string& path);

    /// For libraries that write to a path or a stream and cannot call write(). The path leads to the same file.
    const std::string& temporary_path() const { return temporary_path_.path(); }
    std::FILE* stream() const { return stream_.get(); }

    /// Writes text, buffered. Returns false after any write has failed; commit() then returns the error.
    bool write(std::string_view text);
    bool has_failed() const { return write_errno_ != 0; }

    /// Flushes the file and renames it to `path`; nothing may be written afterwards. On failure the file at `path` is
    /// unchanged.
    Status commit(Durability durability = Durability::synced);
    /// Puts two files that belong together into the same folder, synced. Signals other than SIGKILL are delayed until both
    /// are in place.
    static Status commit(OutputFile& first, OutputFile& second);

    /// Writes a file that consists of this text.
    static Status write_whole(const std::string& path, std::string_view text, Durability durability = Durability::synced);

private:
    struct CloseStream {
        void operator()(std::FILE* stream) const { std::fclose(stream); }
    };

    OutputFile(std::string path, TemporaryPath temporary_path)
        : path_(std::move(path)), temporary_path_(std::move(temporary_path)) {}

    Status finish(Durability durability);
    Status rename();

    std::string path_;
    TemporaryPath temporary_path_;
    FileHandle file_;  ///< the temporary file, open for syncing
    std::unique_ptr<std::FILE, CloseStream> stream_;
    int write_errno_ = 0;
};

}  // namespace snapviewer
