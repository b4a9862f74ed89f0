#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/document/document.h"

namespace snapviewer::files {

/// The attributes that show whether a file has changed. A file that is missing or inaccessible has a default stamp.
struct FileStamp {
    bool exists = false;
    std::uintmax_t size_bytes = 0;
    std::filesystem::file_time_type modified;
    bool operator==(const FileStamp&) const = default;
};

/// Stamps of several paths: for each path, the stamp of the file and of its SQLite write-ahead log.
using FileStamps = std::vector<FileStamp>;
inline constexpr std::size_t k_stamps_per_path = 2;
FileStamps read_stamps(const std::vector<std::string>& paths);

enum class DiskChange : std::uint8_t { none, changed, gone };

/// Compares the state on the disk with the state when the files were opened.
class ChangeDetector {
public:
    using Seen = FileStamps;
    explicit ChangeDetector(FileStamps opened) : accepted_(std::move(opened)), last_(accepted_) {}

    /// Reports the current stamps of the files. A change counts only after two calls with the same stamps, so that a file
    /// that is still being written does not count yet.
    void look(FileStamps now);
    /// Accepts the last reported stamps as unchanged, for example after a reload.
    void accept();
    DiskChange change() const { return change_; }

private:
    FileStamps accepted_;
    FileStamps last_;
    DiskChange change_ = DiskChange::none;
};

// Functions of the file dialog that access the file system. Paths are UTF-8. Independent of the GUI.

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

/// A hash of the content of a file, independent of its name and location. Hashes the size and about 6 MiB spread over the
/// file, which takes milliseconds for any size. For a folder of SnapViewer, hashes its allocations.json. nullopt if the file
/// cannot be read.
std::optional<std::uint64_t> content_hash(const std::string& path);

/// The kind of file that can be opened together with a file (see open_pair()), and its name in the menu. nullopt and nullptr
/// if there is no such kind.
std::optional<FileKind> companion_kind(const Snapshot& snapshot);
const char* companion_name(const Snapshot& snapshot);

/// Finds the file of `before`, the previously open document, that belongs to `document`: the other report of the same model,
/// or the profile of other devices at the same time. Returns "" if there is none. Reads reports again. Thread-safe.
std::string find_companion(const Document& document, const Document& before, Progress& progress);

}  // namespace snapviewer::files
