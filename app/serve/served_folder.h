#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace snapviewer {

/// A folder or a file that may be shown.
struct ServedPlace {
    enum class Kind : std::uint8_t { folder, file, trace_folder };  ///< trace_folder: a folder that is one snapshot

    Kind kind = Kind::folder;
    std::string path;  ///< absolute, without links
    std::string name;
    std::uint64_t size_bytes = 0;
    std::int64_t modified_s = 0;  ///< since 1970; 0 where it is not known
    std::string version;          ///< another one when it has changed; empty for folders
    std::size_t used_names = 0;   ///< of those that led here

    bool is_folder() const { return kind == Kind::folder; }
};

/// A text that differs once the file was written or replaced; empty if it is absent.
std::string version_text(const std::string& path);

/// A text that differs once anything changed that commands read when they are given `path`: the file, or both files of a
/// trace folder, journals, and what a recorder wrote beside it.
std::string version_with_companions(const std::string& path);

/// What `serve` shows: the folders below one, and the files in them whose names end as those of snapshots do. Hidden names,
/// and links that lead out of it, count as absent. Reads the file system anew each time. Any thread.
class ServedFolder {
public:
    /// Of a folder, or of one file alone. The error is a sentence without the path.
    static Result<ServedFolder> open(const std::string& path);

    /// What the names lead to; those behind a file are left over.
    std::optional<ServedPlace> find(std::span<const std::string> names) const;
    /// What a folder holds to which these names led, in no order. The error is a sentence without the path.
    Result<std::vector<ServedPlace>> list(const ServedPlace& folder, std::span<const std::string> names) const;
    /// Whether commands that are given `path`, a file or a trace folder, read only what lies in this folder, links followed.
    bool may_show(const std::string& path) const;

private:
    bool holds(const std::string& path) const;
    std::optional<ServedPlace::Kind> kind_of(const std::string& path, const std::string& name) const;

    std::string root_;
    std::string only_file_;  ///< the name of the one file; empty for a folder
};

}  // namespace snapviewer
