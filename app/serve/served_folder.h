#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace snapviewer::serve {

/// A folder or a file that may be shown to readers.
struct ServedPlace {
    enum class Kind : std::uint8_t { folder, file, trace_folder };  ///< trace_folder is a folder that is a single snapshot

    Kind kind = Kind::folder;
    std::string path;  ///< Absolute path, with symbolic links resolved
    std::string name;
    std::uint64_t size_bytes = 0;
    std::int64_t modified_s = 0;  ///< Seconds since 1970; 0 if unknown
    std::string version;          ///< Changes with the file; empty for folders
    std::size_t used_names = 0;   ///< Number of names that find() used to get here

    bool is_folder() const { return kind == Kind::folder; }
};

/// Returns a text that changes when the file is written or replaced; empty if the file does not exist.
std::string version_text(const std::string& path);

/// Returns a text that changes when any file changes that commands read for `path`: the file, or both files of a trace
/// folder, journals, and the recorder's file beside it.
std::string version_with_companions(const std::string& path);

/// The folder that `serve` shows: its subfolders, and its files whose names end like those of snapshots. Hidden names, and
/// links that lead out of the folder, are treated as absent. Reads the file system on every call. Thread-safe.
class ServedFolder {
public:
    /// Opens a folder, or a single file. The error is a sentence without the path.
    static Result<ServedFolder> open(const std::string& path);

    /// Returns the place that the names lead to. Names after a file are not used; see ServedPlace::used_names.
    std::optional<ServedPlace> find(std::span<const std::string> names) const;
    /// Lists the contents of a folder, unsorted. `names` are the names that led to the folder. The error is a sentence
    /// without the path.
    Result<std::vector<ServedPlace>> list(const ServedPlace& folder, std::span<const std::string> names) const;
    /// Returns whether commands that are given `path`, a file or a trace folder, only read files inside this folder, after
    /// resolving links.
    bool may_show(const std::string& path) const;

private:
    bool holds(const std::string& path) const;
    std::optional<ServedPlace::Kind> kind_of(const std::string& path, const std::string& name) const;

    std::string root_;
    std::string only_file_;  ///< Name of the only file to show; empty for a folder
};

}  // namespace snapviewer::serve
