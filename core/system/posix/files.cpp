#include "core/system/posix/files.h"

#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace snapviewer {
namespace {

FileState::Kind kind_of(mode_t mode) {
    if (S_ISREG(mode)) return FileState::Kind::file;
    return S_ISDIR(mode) ? FileState::Kind::folder : FileState::Kind::other;
}

std::error_code error_of(int result) { return result == 0 ? std::error_code() : last_error(); }

struct CloseListing {
    void operator()(DIR* listing) const { ::closedir(listing); }
};
using Listing = std::unique_ptr<DIR, CloseListing>;

}  // namespace

FileHandle opened_descriptor(int descriptor, std::error_code& failed) {
    failed = descriptor < 0 ? last_error() : std::error_code();
    return FileHandle(descriptor);
}

FileHandle open_descriptor(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    const int no_links = links == SymbolicLinks::refuse ? O_NOFOLLOW : 0;
    return opened_descriptor(::open(path.c_str(), k_open_to_read | no_links), failed);
}

std::optional<FileState> state_of_descriptor(int descriptor, std::error_code& failed) {
    struct stat info {};
    failed = error_of(::fstat(descriptor, &info));
    if (failed) return std::nullopt;
    constexpr std::uint64_t k_block_bytes = 512;  // the unit of st_blocks, independent of the file system
    return FileState{.kind = kind_of(info.st_mode),
                     .size_bytes = static_cast<std::uint64_t>(info.st_size),
                     .on_disk_bytes = static_cast<std::uint64_t>(info.st_blocks) * k_block_bytes,
                     .link_count = info.st_nlink,
                     .written_s = info.st_mtime,
                     .is_own = info.st_uid == ::geteuid()};
}

std::size_t read_descriptor_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                               std::error_code& failed) {
    failed.clear();
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto place = static_cast<off_t>(offset_bytes + done);
        const ssize_t got = ::pread(descriptor, bytes.data() + done, bytes.size() - done, place);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failed = last_error();
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::error_code write_descriptor_at(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return last_error();
        if (put == 0) return std::make_error_code(std::errc::no_space_on_device);
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        offset_bytes += static_cast<std::uint64_t>(put);
    }
    return {};
}

std::error_code resize_descriptor(int descriptor, std::uint64_t size_bytes) {
    return error_of(::ftruncate(descriptor, static_cast<off_t>(size_bytes)));
}

#ifndef __EMSCRIPTEN__  // for a web page, core/system/web/files.cpp has these functions

void close_file(std::intptr_t number) { ::close(static_cast<int>(number)); }

FileHandle open_to_read(const std::string& path, SymbolicLinks links, std::error_code& failed) {
    return open_descriptor(path, links, failed);
}

FileHandle open_again(std::intptr_t number) { return FileHandle(::fcntl(static_cast<int>(number), F_DUPFD_CLOEXEC, 0)); }

std::optional<FileState> state_of(const FileHandle& file, std::error_code& failed) {
    return state_of_descriptor(descriptor_of(file), failed);
}

std::size_t read_at(const FileHandle& file, std::span<std::byte> bytes, std::uint64_t offset_bytes,
                    std::error_code& failed) {
    return read_descriptor_at(descriptor_of(file), bytes, offset_bytes, failed);
}

std::error_code write_at(const FileHandle& file, std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    return write_descriptor_at(descriptor_of(file), bytes, offset_bytes);
}

std::error_code resize_file(const FileHandle& file, std::uint64_t size_bytes) {
    return resize_descriptor(descriptor_of(file), size_bytes);
}

std::error_code sync_file(const FileHandle& file) {
#ifdef F_FULLFSYNC  // fsync() of macOS does not flush the disk's own cache
    return error_of(::fcntl(descriptor_of(file), F_FULLFSYNC) == -1 ? -1 : 0);
#else
    return error_of(::fsync(descriptor_of(file)));
#endif
}

std::error_code lock_file(const FileHandle& file) { return error_of(::flock(descriptor_of(file), LOCK_EX | LOCK_NB)); }

std::optional<FilePart> next_data_part(const FileHandle& file, std::uint64_t begin, std::uint64_t size_bytes) {
    const off_t data = ::lseek(descriptor_of(file), static_cast<off_t>(begin), SEEK_DATA);
    if (data < 0) return std::nullopt;
    const off_t hole = ::lseek(descriptor_of(file), data, SEEK_HOLE);
    const std::uint64_t end = hole < 0 ? size_bytes : std::min(size_bytes, static_cast<std::uint64_t>(hole));
    return FilePart{static_cast<std::uint64_t>(data), end};
}

#endif

std::optional<FileVersion> version_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    const auto ns = [](const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
#ifdef __APPLE__
    const timespec &written = info.st_mtimespec, &changed = info.st_ctimespec;
#else
    const timespec &written = info.st_mtim, &changed = info.st_ctim;
#endif
    return FileVersion{info.st_ino, static_cast<std::uint64_t>(info.st_size), ns(written), ns(changed)};
}

FileHandle create_new_file(const std::string& path, std::filesystem::perms permissions, Umask umask,
                           std::error_code& failed) {
    constexpr int k_flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const auto mode = static_cast<mode_t>(permissions);
    const auto create = [&] { return opened_descriptor(::open(path.c_str(), k_flags, mode), failed); };
    if (umask == Umask::applied) return create();
    // The umask is lifted because the sandbox refuses fchmod(). It belongs to the whole process, so it is lifted only if it
    // matters.
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const mode_t own_mask = ::umask(S_IRWXG | S_IRWXO);
    ::umask((own_mask & mode) != 0 ? 0 : own_mask);
    FileHandle file = create();
    ::umask(own_mask);
    return file;
}

FileHandle open_lock_of_folder(const std::string& folder) {
    return FileHandle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::error_code sync_folder(const std::string& folder) {
    std::error_code failed;
    const FileHandle open =
        opened_descriptor(::open(folder.c_str(), O_DIRECTORY | O_RDONLY | O_NOFOLLOW | O_CLOEXEC), failed);
    return failed ? failed : sync_file(open);
}

std::FILE* open_stream(const FileHandle& file, std::error_code& failed) {
    const int own = ::fcntl(descriptor_of(file), F_DUPFD_CLOEXEC, 0);
    std::FILE* const stream = own >= 0 ? ::fdopen(own, "wb") : nullptr;
    failed = stream == nullptr ? last_error() : std::error_code();
    if (stream == nullptr && own >= 0) ::close(own);
    return stream;
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

std::vector<std::string> list_names(const std::string& folder, std::error_code& failed) {
    std::vector<std::string> names;
    const Listing listing(::opendir(folder.c_str()));
    failed = error_of(listing ? 0 : -1);
    while (const dirent* entry = listing ? ::readdir(listing.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
}

void remove_files_in(const std::string& folder, bool (*is_wanted)(std::string_view name),
                     const std::function<bool(const FileHandle& file)>& may_go) {
    const Listing listing(::opendir(folder.c_str()));
    while (const dirent* entry = listing ? ::readdir(listing.get()) : nullptr) {
        if (!is_wanted(entry->d_name)) continue;
        const int at = ::dirfd(listing.get());
        const FileHandle file(::openat(at, entry->d_name, k_open_to_read | O_NOFOLLOW));
        if (file.is_open() && may_go(file)) ::unlinkat(at, entry->d_name, 0);
    }
}

}  // namespace snapviewer
