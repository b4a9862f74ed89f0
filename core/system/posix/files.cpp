#include "core/system/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "core/system/posix/calls.h"

namespace snapviewer {
namespace {

constexpr int k_never_wait = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

FileHandle opened(int descriptor, std::error_code& failed) {
    failed = descriptor < 0 ? last_error() : std::error_code();
    return FileHandle(descriptor);
}

std::error_code error_of(int result) { return result == 0 ? std::error_code() : last_error(); }

FileState::Kind kind_of(mode_t mode) {
    if (S_ISREG(mode)) return FileState::Kind::file;
    return S_ISDIR(mode) ? FileState::Kind::folder : FileState::Kind::other;
}

}  // namespace

void FileHandle::close() { ::close(static_cast<int>(number_)); }

FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    const int no_links = links == SymbolicLinks::refuse ? O_NOFOLLOW : 0;
    return opened(::open(path.c_str(), k_never_wait | no_links), failed);
}

FileHandle create_new_file(const std::string& path, std::filesystem::perms permissions, std::error_code& failed) {
    constexpr int k_flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    return opened(::open(path.c_str(), k_flags, static_cast<mode_t>(permissions)), failed);
}

FileHandle open_lock_of_folder(const std::string& folder) {
    return FileHandle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

FileHandle open_again(std::intptr_t number) { return FileHandle(::fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0)); }

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed) {
    struct stat info {};
    failed = error_of(::fstat(descriptor_of(file), &info));
    if (failed) return std::nullopt;
    constexpr std::uint64_t k_block_bytes = 512;  // POSIX counts in these whatever the file system does
    return FileState{.kind = kind_of(info.st_mode),
                     .size_bytes = static_cast<std::uint64_t>(info.st_size),
                     .on_disk_bytes = static_cast<std::uint64_t>(info.st_blocks) * k_block_bytes,
                     .link_count = info.st_nlink,
                     .written_s = info.st_mtime,
                     .is_own = info.st_uid == ::geteuid()};
}

std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                    std::error_code& failed) {
    failed.clear();
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto place = static_cast<off_t>(offset_bytes + done);
        const ssize_t got = ::pread(descriptor_of(file), bytes.data() + done, bytes.size() - done, place);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failed = last_error();
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::error_code write_at(const FileHandle& file, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(descriptor_of(file), bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return last_error();
        if (put == 0) return std::make_error_code(std::errc::no_space_on_device);
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        offset_bytes += static_cast<std::uint64_t>(put);
    }
    return {};
}

std::error_code resize_file(const FileHandle& file, std::uint64_t size_bytes) {
    return error_of(::ftruncate(descriptor_of(file), static_cast<off_t>(size_bytes)));
}

std::error_code set_permissions(const FileHandle& file, std::filesystem::perms permissions) {
    return error_of(::fchmod(descriptor_of(file), static_cast<mode_t>(permissions)));
}

std::error_code sync_folder(const std::string& folder) {
    std::error_code failed;
    const FileHandle open = opened(::open(folder.c_str(), O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC), failed);
    return failed ? failed : sync_file(open);
}

std::error_code lock_file(const FileHandle& file) { return error_of(::flock(descriptor_of(file), LOCK_EX | LOCK_NB)); }

std::FILE* open_stream(const FileHandle& file, std::error_code& failed) {
    const int own = ::fcntl(descriptor_of(file), F_DUPFD_CLOEXEC, 0);
    std::FILE* const stream = own >= 0 ? ::fdopen(own, "wb") : nullptr;
    failed = stream == nullptr ? last_error() : std::error_code();
    if (stream == nullptr && own >= 0) ::close(own);
    return stream;
}

std::optional<FilePart> next_written_part(const FileHandle& file, std::uint64_t begin, std::uint64_t size_bytes) {
    const off_t data = ::lseek(descriptor_of(file), static_cast<off_t>(begin), SEEK_DATA);
    if (data < 0) return std::nullopt;
    const off_t hole = ::lseek(descriptor_of(file), data, SEEK_HOLE);
    const std::uint64_t end = hole < 0 ? size_bytes : std::min(size_bytes, static_cast<std::uint64_t>(hole));
    return FilePart{static_cast<std::uint64_t>(data), end};
}

bool are_same_file(const std::filesystem::path& first, const std::filesystem::path& second) {
    std::error_code failed;
    return std::filesystem::equivalent(first, second, failed);
}

bool is_disk_full(std::error_code failed) {
    return failed == std::errc::no_space_on_device || failed == std::errc::file_too_large ||
           failed == std::errc::read_only_file_system || failed == std::error_code(EDQUOT, std::system_category());
}

std::error_code replace_file(const std::string& from, const std::string& to) {
    return error_of(std::rename(from.c_str(), to.c_str()));
}

void remove_file(const char* path) { ::unlink(path); }

void remove_folder(const char* path) { ::rmdir(path); }

void remove_files_in(const std::string& folder, bool (*is_wanted)(std::string_view name),
                     bool (*may_go)(const FileHandle& file, std::string_view name)) {
    struct Close {
        void operator()(DIR* listing) const { ::closedir(listing); }
    };
    const std::unique_ptr<DIR, Close> listing(::opendir(folder.c_str()));
    while (const dirent* entry = listing ? ::readdir(listing.get()) : nullptr) {
        if (!is_wanted(entry->d_name)) continue;
        const int at = ::dirfd(listing.get());
        const FileHandle file(::openat(at, entry->d_name, k_never_wait | O_NOFOLLOW));
        if (file.is_open() && may_go(file, entry->d_name)) ::unlinkat(at, entry->d_name, 0);
    }
}

}  // namespace snapviewer
