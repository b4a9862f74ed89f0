#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/system/files.h"

namespace snapviewer {

/// A path that is removed by the destructor, or by a signal that ends the program (see remove_temporary_files_on_signals),
/// unless keep() was called. Registers the path before anything is created there, so that no moment is unguarded. A process
/// guards a few dozen paths at a time; beyond that, only the destructor removes them.
class TemporaryPath {
public:
    enum class Kind : std::uint8_t { file, folder };  ///< a folder is removed only if it is empty

    explicit TemporaryPath(std::string path, Kind kind = Kind::file);
    TemporaryPath(TemporaryPath&& other) noexcept;
    TemporaryPath& operator=(TemporaryPath&&) = delete;
    ~TemporaryPath();

    const std::string& path() const { return path_; }
    /// Stops guarding the path, because it was renamed or is complete.
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

/// Removes all temporary files before the program ends by a signal or by _Exit(), while other threads may be writing. No
/// thread can create another temporary file afterwards. Takes some milliseconds. Safe in signal handlers.
void remove_temporary_files_for_good();

/// Makes the signals that ask a program to end (SIGINT, SIGTERM, SIGHUP and others, unless they are ignored) remove the
/// temporary files and then end the program immediately. Unnamed temporary files need no removal. The parent process sees
/// the signal, a shell the status 128 + its number. Also turns exceeding the limit of the file size into an error of writing
/// instead of a signal. Call once, before other threads start.
void remove_temporary_files_on_signals();

}  // namespace snapviewer
