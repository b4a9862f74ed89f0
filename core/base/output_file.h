#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace snapviewer {

/// A file that appears whole or not at all. It is written as a draft, a new file of an unpredictable name in the same
/// folder, which then takes the place of what was at `path` (a symbolic link there is replaced, not followed). It keeps the
/// mode of the file that it replaces. A draft that is not put in place is removed. One thread at a time; errors have code
/// io.
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

    /// For a library that writes by name instead of write(); it may also replace the draft by a file of its own.
    const std::string& draft_path() const { return draft_path_; }

    /// Buffered. False once anything could not be written; put_in_place() then says why.
    bool write(std::string_view text);

    /// Flushes and renames; nothing is written afterwards. On failure `path` is as it was.
    Status put_in_place(Durability durability = Durability::synced);

private:
    OutputFile(std::string path, std::string draft_path, std::FILE* file);

    std::string path_;
    std::string draft_path_;  ///< empty once it is in place or gone
    std::FILE* file_;
    int write_errno_ = 0;
};

}  // namespace snapviewer
