#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// Functions of the file dialog that access the file system. Paths are UTF-8. Independent of the GUI.
namespace snapviewer {

struct FolderEntry {
    std::string name;
    bool is_folder = false;        ///< true for a folder, or for a symbolic link to a folder
    std::uint64_t size_bytes = 0;  ///< 0 for folders
    std::int64_t modified_s = 0;   ///< modification time since the Unix epoch; 0 if unknown
    bool operator==(const FolderEntry&) const = default;
};

/// The entries of a folder except "." and "..", unsorted. The error is a sentence without the path. About 5 us per entry.
Result<std::vector<FolderEntry>> list_folder(const std::string& folder);

enum class FolderSort : std::uint8_t { name, size, modified };

/// Sorts entries. Folders come first in both directions. Names compare without regard to case, and numbers in them by value.
/// Entries with equal keys are sorted by name.
void sort_entries(std::vector<FolderEntry>& entries, FolderSort by, bool descending);

struct FolderFilter {
    std::string prefix = {};      ///< prefix of the name, in any case
    std::string part = {};        ///< substring of the name, in any case
    bool snapshots_only = false;  ///< hides files without the extension of a snapshot; folders stay visible
    bool show_hidden = false;     ///< shows names that begin with a dot; they are also shown if `prefix` begins with one
};

/// Indices of the entries that pass the filter, in their original order.
std::vector<std::uint32_t> filter_entries(const std::vector<FolderEntry>& entries, const FolderFilter& filter);

/// True if a name ends like the files of a supported format (Format::endings), in any case.
bool has_snapshot_name(std::string_view name);

/// A typed path, split into the folder to list and the beginning of a name in it.
struct TypedPath {
    std::string folder;       ///< absolute path without a trailing slash, except "/"
    std::string prefix = {};  ///< text after the last slash
};

/// Splits a typed path. "~" is the home folder. A relative path is resolved against `base`.
TypedPath parse_typed_path(const std::string& text, const std::string& base);

/// Kind of a path in the file dialog. A trace folder contains SnapViewer's allocations.json and is opened as a whole.
enum class PathKind : std::uint8_t { absent, folder, trace_folder, file };
PathKind path_kind(const std::string& path);

std::string join_path(const std::string& folder, const std::string& name);
/// The parent of a folder. The parent of "/" is "/".
std::string parent_folder(const std::string& folder);
std::string home_folder();  ///< the user's home folder; the root folder if there is none
std::string working_folder();

/// Extracts the folders on other machines from these addresses of files fetched with ssh, such as "node7:/runs/". Without
/// duplicates, in the original order.
std::vector<std::string> folders_elsewhere(const std::vector<std::string>& addresses);

/// The longest common prefix of all names, ignoring case, spelled as in the first name. Empty if there are no names.
std::string common_beginning(const std::vector<std::string_view>& names);

/// Formats a time as local time, such as "2026-11-20 23:57". Empty for 0.
std::string format_modified(std::int64_t modified_s);

}  // namespace snapviewer
