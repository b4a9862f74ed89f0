#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/temporary_file.h"

namespace snapviewer {

/// A file that is written completely or not at all. The text goes into a temporary file with an unpredictable name in the
/// same folder, which then replaces the file at `path` (a symbolic link there is replaced, not followed). The new file keeps
/// the permissions of the file that it replaces. A temporary file that is not put in place is removed, see
/// core/base/temporary_file.h; so are temporary files that a killed process left in that folder. One thread at a time;
/// errors have code io.
///
///     auto file = OutputFile::create("report.json");
///     if (!file) return file.error();
///     file->write(text);
///     return file->put_in_place();  // report.json is unchanged until here
class OutputFile {
public:
    /// Whether the file is flushed to the disk before put_in_place() returns, so that it survives a power failure.
    enum class Durability { synced, unsynced };

    static Result<OutputFile> create(const std::string& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    /// For libraries that write to a path or a stream instead of calling write(). The path leads to the same file.
    const std::string& temporary_path() const { return temporary_path_.path(); }
    std::FILE* stream() const { return file_; }

    /// Writes text, buffered. Returns false after any write has failed; put_in_place() then returns the error.
    bool write(std::string_view text);
    bool has_failed() const { return write_errno_ != 0; }

    /// Flushes the file and renames it to `path`; nothing may be written afterwards. On failure the file at `path` is
    /// unchanged.
    Status put_in_place(Durability durability = Durability::synced);
    /// Puts two files that belong together into the same folder, synced. Signals other than SIGKILL are delayed until both
    /// are in place.
    static Status put_in_place(OutputFile& first, OutputFile& second);

private:
    OutputFile(std::string path, TemporaryPath temporary_path, FileHandle lock, std::FILE* file);

    Status finish(Durability durability);
    Status rename();

    std::string path_;
    TemporaryPath temporary_path_;
    FileHandle lock_;  ///< the temporary file, open for syncing
    std::FILE* file_;
    int write_errno_ = 0;
};

}  // namespace snapviewer
