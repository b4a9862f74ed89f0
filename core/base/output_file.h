#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/temporary_file.h"

namespace snapviewer {

/// A file that appears whole or not at all. It is written as a temporary file, a new file of an unpredictable name in the
/// same folder, which then takes the place of what was at `path` (a symbolic link there is replaced, not followed). It keeps
/// the mode of the file that it replaces. A temporary file that is not put in place is removed, see
/// core/base/temporary_file.h; so are those that a killed process left in that folder. One thread at a time; errors have
/// code io.
///
///     auto file = OutputFile::create("report.json");
///     if (!file) return file.error();
///     file->write(text);
///     return file->put_in_place();  // nothing has changed at report.json before
class OutputFile {
public:
    /// Whether a file must survive a power cut as soon as it is in place.
    enum class Durability { synced, unsynced };

    static Result<OutputFile> create(const std::string& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    /// For a library that writes by name or to a stream instead of write(). The name leads to the same file.
    const std::string& temporary_path() const { return temporary_path_.path(); }
    std::FILE* stream() const { return file_; }

    /// Buffered. False once anything could not be written; put_in_place() then says why.
    bool write(std::string_view text);
    bool has_failed() const { return write_errno_ != 0; }

    /// Flushes and renames; nothing is written afterwards. On failure `path` is as it was.
    Status put_in_place(Durability durability = Durability::synced);
    /// Two files in one folder that belong together, synced: no signal but SIGKILL comes between the one and the other.
    static Status put_in_place(OutputFile& first, OutputFile& second);

private:
    OutputFile(std::string path, TemporaryPath temporary_path, FileHandle lock, std::FILE* file);

    Status finish(Durability durability);
    Status rename();

    std::string path_;
    TemporaryPath temporary_path_;
    FileHandle lock_;  ///< says that the temporary file is not abandoned, until it is in place
    std::FILE* file_;
    int write_errno_ = 0;
};

}  // namespace snapviewer
