#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/system/files.h"

namespace snapviewer {

/// A name that goes with the process: whatever is there is removed by the destructor, or by a signal that ends the program
/// (see remove_temporary_files_on_signals), unless keep() was called. Takes the name down before anything is made there, so
/// that no moment is without a guard; a process guards a few dozen at a time, what is beyond is left to the destructor.
class TemporaryPath {
public:
    enum class Kind : std::uint8_t { file, folder };  ///< a folder is removed only if it is empty

    explicit TemporaryPath(std::string path, Kind kind = Kind::file);
    TemporaryPath(TemporaryPath&& other) noexcept;
    TemporaryPath& operator=(TemporaryPath&&) = delete;
    ~TemporaryPath();

    const std::string& path() const { return path_; }
    /// From now on it is left alone: it was renamed, or is what it is to be.
    void keep();

private:
    std::string path_;  ///< empty once it is kept
    Kind kind_;
    int place_;  ///< among those that the signal handler knows; -1 for none
};

/// A new file under a temporary name, to be renamed when it is complete.
struct TemporaryFile {
    TemporaryPath path;
    FileHandle file;  ///< for writing
};

/// Creates a temporary file with an unpredictable name in `folder` ("out/", "./"). Errors have code io.
Result<TemporaryFile> create_temporary_file(const std::string& folder, std::filesystem::perms permissions, Umask umask);

/// Whether a file with this name in a folder is a temporary file.
bool is_temporary_name(std::string_view name);

/// Removes this user's temporary files in `folder` that were last written an hour or more before `new_file`, which was just
/// created there: the process that wrote them was killed. Comparing two files makes it independent of the clock of a
/// machine that shares the folder. O(entries of the folder).
void remove_abandoned_temporary_files(const std::string& folder, const FileHandle& new_file);

/// Removes every temporary file there is. For signal handlers: takes no lock and no memory.
void remove_temporary_files_now();

/// The same before the program ends at once, by a signal or by _Exit(), while other threads may be writing: none of them
/// makes another temporary file. Takes some milliseconds; for signal handlers, too.
void remove_temporary_files_for_good();

/// From now on the signals by which a program is told to end (SIGINT, SIGTERM, SIGHUP and the like, unless they are ignored)
/// remove the temporary files and then end it at once, whatever it is doing: nothing else needs to be put in order, since
/// temporary files have no name. The parent sees the signal, a shell the status 128 + its number. A file beyond the limit of
/// its size becomes an error of writing instead of a signal. Once, before other threads start.
void remove_temporary_files_on_signals();

}  // namespace snapviewer
