#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "core/system/file_handle.h"

/// Files, as the system has them. What goes wrong is an error code, whose message says what the system says. Any thread.
namespace snapviewer {

/// What an open file is, apart from its bytes.
struct FileState {
    enum class Kind : std::uint8_t { file, folder, other };  ///< other: a pipe, a device, a socket

    Kind kind = Kind::other;
    std::uint64_t size_bytes = 0;
    std::uint64_t on_disk_bytes = 0;  ///< without its holes
    std::uint64_t link_count = 0;     ///< names that it has
    std::int64_t written_s = 0;       ///< when it was changed last, since 1970
    bool is_own = false;              ///< whether it belongs to the user who runs this
};

/// What to do where the last part of a path is a symbolic link.
enum class SymbolicLinks : std::uint8_t { follow, refuse };

/// Whatever is there, for reading. Never waits, as it would for a pipe that nobody writes to.
FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed);
/// Whether the user's umask takes permissions away from a new file.
enum class Umask : std::uint8_t { applied, ignored };

/// Creates a file for writing; fails if `path` exists.
FileHandle create_new_file(const std::string& path, std::filesystem::perms permissions, Umask umask,
                           std::error_code& failed);
/// A file without a name in a folder, for reading and writing, which is gone when it is closed. The error is
/// operation_not_supported where the file system has no such files.
FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed);
/// The same in memory.
FileHandle create_file_in_memory(std::error_code& failed);
/// What programs lock that take turns in a folder; not open where it cannot be locked.
FileHandle open_lock_of_folder(const std::string& folder);
/// Another handle of the open file of that number; not open where there is none.
FileHandle open_again(std::intptr_t number);

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed);
/// What differs once a file was written, or another one took its place.
struct FileVersion {
    std::uint64_t number = 0;  ///< of the file in its file system (inode), which a new file by the same name does not have
    std::uint64_t size_bytes = 0;
    std::int64_t written_ns = 0;  ///< last write; programs can set it
    std::int64_t changed_ns = 0;  ///< last write or change of attributes; programs cannot set it
};
/// The version of the file that `path` leads to, links followed; nullopt if it is absent.
std::optional<FileVersion> version_of(const std::string& path);

/// How many bytes were read from there: fewer than are asked for only at the end of the file, or where it `failed`.
std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes, std::error_code& failed);
/// Puts all of them there; the file grows as needed.
std::error_code write_at(const FileHandle& file, std::span<const std::byte> bytes, std::uint64_t offset_bytes);
std::error_code resize_file(const FileHandle& file, std::uint64_t size_bytes);
/// Has the bytes outlive a power cut.
std::error_code sync_file(const FileHandle& file);
/// The same for the names in a folder.
std::error_code sync_folder(const std::string& folder);
/// Locks a folder that open_lock_of_folder() opened, until this handle and its copies are closed. The error is
/// operation_would_block if another process has the lock, and another code if the file system has no locks. The sandbox
/// refuses it.
std::error_code lock_file(const FileHandle& file);
/// A stream of its own that writes to an open file; null where it `failed`.
std::FILE* open_stream(const FileHandle& file, std::error_code& failed);

/// A part of a file that is no hole.
struct FilePart {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};
/// The first one from there on; none behind the last.
std::optional<FilePart> next_written_part(const FileHandle& file, std::uint64_t begin, std::uint64_t size_bytes);

/// Whether two paths lead to one file or folder; false where one of them leads to none.
bool are_same_file(const std::filesystem::path& first, const std::filesystem::path& second);

/// Whether it says that no more can be written there: no room, no share of it left for the user, no file as large, a disk
/// that is only read.
bool is_disk_full(std::error_code failed);

/// Gives a file the place of another one, or of none, in one step.
std::error_code replace_file(const std::string& from, const std::string& to);
/// For signal handlers, too: take no lock and no memory. A folder goes only if it is empty.
void remove_file(const char* path);
void remove_folder(const char* path);
/// Removes the files of a folder for whose names `is_wanted` is true and for which, once they are open, `may_go` is true.
/// Names are removed from the folder that was read, even if another folder has taken its path meanwhile.
void remove_files_in(const std::string& folder, bool (*is_wanted)(std::string_view name),
                     const std::function<bool(const FileHandle& file)>& may_go);

}  // namespace snapviewer
