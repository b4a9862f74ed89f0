#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// What the open dialog knows of the file system. Paths are UTF-8 text. No GUI in here.
namespace snapviewer {

struct FolderEntry {
    std::string name;
    bool is_folder = false;        ///< links count as what they lead to
    std::uint64_t size_bytes = 0;  ///< 0 for folders
    std::int64_t modified_s = 0;   ///< since the Unix epoch; 0 = not known
    bool operator==(const FolderEntry&) const = default;
};

/// Everything in a folder but "." and "..", unsorted. The error is a sentence without the path. Costs some 5 us an entry.
Result<std::vector<FolderEntry>> list_folder(const std::string& folder);

enum class FolderSort : std::uint8_t { name, size, modified };

/// Folders first in either direction; names without regard to case and with numbers in them by value; equal keys by name.
void sort_entries(std::vector<FolderEntry>& entries, FolderSort by, bool descending);

struct FolderFilter {
    std::string prefix = {};      ///< of the name, regardless of case
    std::string part = {};        ///< anywhere in the name, regardless of case
    bool snapshots_only = false;  ///< files that end like a snapshot; folders stay
    bool show_hidden = false;     ///< names that begin with a dot; shown as well if the prefix begins with one
};

/// Indices of the entries that pass, in their order.
std::vector<std::uint32_t> filter_entries(const std::vector<FolderEntry>& entries, const FolderFilter& filter);

/// Whether a name ends like those of a format that we read (Format::endings), regardless of case.
bool has_snapshot_name(std::string_view name);

/// A typed path taken apart: the folder to list and the beginning of a name in it.
struct TypedPath {
    std::string folder;       ///< absolute, without a slash at its end (except "/")
    std::string prefix = {};  ///< what follows the last slash
};

/// "~" stands for the home folder; what is not absolute begins at `base`.
TypedPath parse_typed_path(const std::string& text, const std::string& base);

/// A trace folder is opened as a whole: it holds SnapViewer's allocations.json.
enum class PathKind : std::uint8_t { absent, folder, trace_folder, file };
PathKind path_kind(const std::string& path);

std::string join_path(const std::string& folder, const std::string& name);
/// "/" is its own parent.
std::string parent_folder(const std::string& folder);
std::string home_folder();  ///< a root where there is none
std::string working_folder();

/// The folders on other machines from which ssh fetched files of these addresses: "node7:/runs/", each once, in their order.
std::vector<std::string> folders_elsewhere(const std::vector<std::string>& addresses);

/// The longest beginning that all the names share, regardless of case, spelled as in the first. Empty for no names.
std::string common_beginning(const std::vector<std::string_view>& names);

/// "2026-11-20 23:57" in local time, empty for 0.
std::string format_modified(std::int64_t modified_s);

}  // namespace snapviewer
