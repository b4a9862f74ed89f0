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
#include <utility>
#include <vector>

namespace snapviewer {

/// Owns a handle of the system and closes it in the destructor: a file descriptor on POSIX, a HANDLE or SOCKET on Windows.
template <void (*close)(std::intptr_t number)>
class OwnedHandle {
public:
    OwnedHandle() = default;
    explicit OwnedHandle(std::intptr_t number) : number_(number) {}
    OwnedHandle(OwnedHandle&& other) noexcept : number_(other.release()) {}
    OwnedHandle& operator=(OwnedHandle&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~OwnedHandle() {
        if (is_open()) close(number_);
    }

    std::intptr_t number() const { return number_; }
    bool is_open() const { return number_ != k_none; }
    /// Gives up ownership: the caller must close the returned handle.
    std::intptr_t release() { return std::exchange(number_, k_none); }

private:
    static constexpr std::intptr_t k_none = -1;

    std::intptr_t number_ = k_none;
};

void close_file(std::intptr_t number);
/// An open file, or another object for which the system has such a handle.
using FileHandle = OwnedHandle<close_file>;

// Access to files. Failures are error codes with the system's message. Thread-safe.

/// Metadata of an open file.
struct FileState {
    enum class Kind : std::uint8_t { file, folder, other };  ///< `other` is a pipe, a device or a socket

    Kind kind = Kind::other;
    std::uint64_t size_bytes = 0;
    std::uint64_t on_disk_bytes = 0;  ///< space on the disk, without holes
    std::uint64_t link_count = 0;     ///< number of names (hard links)
    std::int64_t written_s = 0;       ///< time of the last change, in seconds since 1970
    bool is_own = false;              ///< true if the file belongs to the user of this process
};

/// Whether to follow a symbolic link at the end of a path.
enum class SymbolicLinks : std::uint8_t { follow, refuse };

/// Opens `path` for reading without blocking, even if it is a FIFO without a writer.
FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed);
/// Whether the user's umask applies to the permissions of a new file.
enum class Umask : std::uint8_t { applied, ignored };

/// Creates a file for writing; fails if `path` exists.
FileHandle create_new_file(const std::string& path, std::filesystem::perms permissions, Umask umask,
                           std::error_code& failed);
/// Creates an unnamed file in `folder`, for reading and writing. Closing it deletes it. The error is operation_not_supported
/// if the file system has no such files.
FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed);
/// Creates an unnamed file in memory, otherwise like create_unnamed_file().
FileHandle create_file_in_memory(std::error_code& failed);
/// Opens the lock of a folder, see lock_file(). The handle is closed if the folder cannot be locked.
FileHandle open_lock_of_folder(const std::string& folder);
/// Duplicates the open file with this number; a closed handle if there is none.
FileHandle open_again(std::intptr_t number);

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed);
/// Identifies a version of a file. It differs once the file was written or replaced.
struct FileVersion {
    std::uint64_t number = 0;  ///< file number within its file system (inode); another file under the same name has another
                               ///< number
    std::uint64_t size_bytes = 0;
    std::int64_t written_ns = 0;  ///< time of the last write in nanoseconds since 1970; programs can set it
    std::int64_t changed_ns = 0;  ///< time of the last write or change of attributes; programs cannot set it
};
/// The version of the file to which `path` leads, with links followed; nullopt if there is no such file.
std::optional<FileVersion> version_of(const std::string& path);

/// Reads from an offset and returns the number of bytes. It is less than requested only at the end of the file, or if the
/// call `failed`.
std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes, std::error_code& failed);
/// Writes all bytes at an offset; the file grows as needed.
std::error_code write_at(const FileHandle& file, std::span<const std::byte> bytes, std::uint64_t offset_bytes);
std::error_code resize_file(const FileHandle& file, std::uint64_t size_bytes);
/// Flushes the file to the disk, so that it survives a power failure.
std::error_code sync_file(const FileHandle& file);
/// Flushes the directory entries of a folder to the disk.
std::error_code sync_folder(const std::string& folder);
/// Locks a folder that open_lock_of_folder() opened, until this handle and its copies are closed. The error is
/// operation_would_block if another process holds the lock, and another code if the file system has no locks. The sandbox
/// refuses this call.
std::error_code lock_file(const FileHandle& file);
/// Opens an independent stream that writes to an open file; null if it `failed`.
std::FILE* open_stream(const FileHandle& file, std::error_code& failed);

/// A part of a file that is not a hole.
struct FilePart {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};
/// The first part at or after `begin` that is not a hole; nullopt if there is none.
std::optional<FilePart> next_data_part(const FileHandle& file, std::uint64_t begin, std::uint64_t size_bytes);

/// True if two paths lead to the same file or folder; false if one of them leads to none.
bool are_same_file(const std::filesystem::path& first, const std::filesystem::path& second);

/// True for errors after which nothing more can be written: disk full, quota exceeded, file too large, read-only file
/// system.
bool is_disk_full(std::error_code failed);

/// The names in a folder, in no particular order. Empty if the folder cannot be listed. Used instead of std::filesystem,
/// because GCC 12's implementation ends the program if it is out of memory.
std::vector<std::string> list_names(const std::string& folder, std::error_code& failed);

/// Renames a file atomically; replaces `to` if it exists.
std::error_code replace_file(const std::string& from, const std::string& to);
/// Removes a file, or an empty folder. Safe in signal handlers: takes no locks and allocates no memory.
void remove_file(const char* path);
void remove_folder(const char* path);
/// Removes the files in a folder whose names meet `is_wanted` and that, once opened, meet `may_go`. Safe if the folder is
/// renamed meanwhile: files are removed from the folder that was read, even if its path then leads elsewhere.
void remove_files_in(const std::string& folder, bool (*is_wanted)(std::string_view name),
                     const std::function<bool(const FileHandle& file)>& may_go);

struct MappingGuard;

/// A read-only memory mapping of the beginning of a file. The file handle may be closed earlier. Pages are loaded when they
/// are read. If the file is truncated meanwhile, the missing bytes read as zeros. Movable; the mapped address does not
/// change.
class Mapping {
public:
    static Mapping of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed);

    Mapping() = default;
    Mapping(Mapping&& other) noexcept { *this = std::move(other); }
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(released_, other.released_);
        std::swap(guard_, other.guard_);
        return *this;
    }
    ~Mapping();

    std::size_t size_bytes() const { return bytes_.size(); }
    /// The bytes [0, end). In the browser, waits until these bytes have been loaded.
    std::span<const std::byte> bytes_up_to(std::size_t end) const {
        wait_for(end);
        return bytes_.first(end);
    }
    /// True if zeros were read in place of bytes that the file has lost.
    bool has_lost_pages() const;
    /// Lets the system drop the pages of bytes [0, end) from memory. Precondition: they are not read again.
    void release_up_to(std::size_t end);

private:
    void wait_for(std::size_t end) const;

    std::span<const std::byte> bytes_;
    std::size_t released_ = 0;
    MappingGuard* guard_ = nullptr;
};

// Functions for paths as UTF-8 text. They keep the user's spelling, which std::filesystem::path would change.

/// The separator of this system. Windows also accepts '/'.
inline constexpr char k_separator = static_cast<char>(std::filesystem::path::preferred_separator);
constexpr bool is_separator(char character) { return character == '/' || character == k_separator; }

bool ends_with_separator(std::string_view path);
/// Returns the path with a separator at its end; adds one only if it is missing.
std::string with_separator(std::string path);
/// Returns the path without separators at its end. A path of separators alone keeps the first one.
std::string_view without_separator(std::string_view path);
/// On Windows, the length of a drive such as "C:" if the path begins with one and a separator; else 0.
std::size_t length_of_drive(std::string_view path);
/// The folder part of a path, including its separator: "out/" for "out/a.png", "" for "a.png".
std::string_view folder_part(std::string_view path);
/// The folder part of a path in a form that can be opened: like folder_part(), but "./" for "a.png".
std::string folder_of(std::string_view path);

}  // namespace snapviewer
